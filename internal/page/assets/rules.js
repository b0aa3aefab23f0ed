// The rules, for somebody who has never seen the game.

import { Board } from './board.js';
import { h, replace } from './dom.js';
import { kinds, put, squareNamed } from './notation.js';
import { pieceImage } from './pieces.js';

const empty = '.'.repeat(64);

/** picture is a board with the named pieces, such as Ed4, and arrows, such as d4d5. */
export function picture(label, pieces, arrows = []) {
  let position = empty;
  for (const p of pieces.split(' ').filter(Boolean)) position = put(position, squareNamed(p.slice(1)), p[0]);
  const board = new Board({ label });
  board.show(position);
  board.arrows(arrows.map((a) => ({ from: squareNamed(a.slice(0, 2)), to: squareNamed(a.slice(2, 4)), width: 0.35, kind: a.slice(4) })));
  return h('figure', { class: 'board-frame' }, board.element);
}

/** beginning is a usual setup of both sides. */
export const beginning = 'Ra1 Rb1 Rc1 Dd1 De1 Rf1 Rg1 Rh1 Ra2 Hb2 Cc2 Ed2 Me2 Cf2 Hg2 Rh2 ra8 rb8 rc8 cd8 ce8 rf8 rg8 rh8 ra7 hb7 dc7 md7 ee7 df7 hg7 rh7';

const rulesInOrder = () => [
  ['The aim', () => picture('A gold rabbit steps to the eighth rank', 'Rd7 Ed6 hg7 rc4 mb5', ['d7d8']),
    h('p', {}, 'You win when one of your ', h('b', {}, 'rabbits'), ' stands on the far side of the board at the end of a turn. Gold’s goal is the top row, Silver’s the bottom row.'),
    h('p', {}, 'You also win if your opponent has no rabbits left, or has no possible step.')],
  ['The beginning', () => picture('Both sides set up', beginning),
    h('p', {}, 'Gold places its sixteen pieces on its two rows, in any order it likes. Then Silver does the same. Strong pieces usually stand in front.')],
  ['A turn is four steps', () => picture('The elephant takes three steps, a dog one', 'Ed3 Dg2 Rb1 Rh1 ee7', ['d3d4', 'd4d5', 'd5e5', 'g2g3']),
    h('p', {}, 'In a turn you make one to four steps, with one piece or several. A step goes to a free neighbouring square: forward, back, left or right, never diagonally.'),
    h('p', {}, h('b', {}, 'Rabbits never step back.'), ' Only an enemy can push or pull them back.')],
  ['The traps', () => picture('The gold dog on c3 is safe because of the horse beside it; the silver cat on f6 is lost', 'Dc3 Hc2 cf6 Eg6', []),
    h('p', {}, 'The four marked squares are traps. A piece on a trap is lost at once, unless a piece of its own side stands beside it. Here the dog on c3 is safe as long as the horse stays, and the cat on f6 is lost.')],
  ['Push', () => picture('The gold elephant pushes the silver horse from d5 to d6 and takes its place', 'Ed4 hd5 Ra2', ['d5d6other', 'd4d5played']),
    h('p', {}, 'A piece can push a weaker enemy piece: the enemy’s piece goes to a free square beside it, and yours takes its place. This takes two steps of one turn.'),
    h('p', {}, 'In the program: drag your piece onto the enemy’s, or drag the enemy’s piece to where it should go.')],
  ['Pull', () => picture('The gold camel steps from e5 to e4 and pulls the silver dog from e6 to e5', 'Me5 de6 Rh2', ['e5e4played', 'e6e5other']),
    h('p', {}, 'A piece can also pull: your piece steps away, and a weaker enemy piece that stood beside it follows onto the square it left. This also takes two steps.'),
    h('p', {}, 'In the program: step away, then drag the enemy’s piece to the square you left.')],
  ['Frozen', () => picture('The silver dog on c5 is frozen by the gold horse on d5; the silver cat on g5 is not, because a rabbit is beside it', 'Hd5 dc5 Ef5 cg5 rg6', []),
    h('p', {}, 'A piece beside a stronger enemy is frozen: it cannot step, push or pull, unless a friend stands beside it. It can still be pushed and pulled. The dog on c5 is frozen by the horse. The cat on g5 is not, because a rabbit is beside it.')],
  ['The small print', null,
    h('p', {}, 'A turn must change the board, and the same position may not arise for the third time after a turn of the same side. A turn may not end in the middle of a push. If a rabbit of each side stands on its goal at the end of a turn, the side that moved wins.')],
];

export function rules(main) {
  replace(main, h('h1', {}, 'How Arimaa is played'),
    h('p', { class: 'lede' }, 'Omar Syed designed Arimaa in 2002 to be simple for people and hard for computers. You need a chess set, and three minutes for the rules.'),
    h('h2', {}, 'The pieces, from strong to weak'),
    h('ol', { class: 'strength' }, [['E', 1], ['M', 1], ['H', 2], ['D', 2], ['C', 2], ['R', 8]].map(([p, n]) => h('li', {}, pieceImage(p), pieceImage(p.toLowerCase()),
      h('b', {}, kinds[p.toLowerCase()]), h('br'), `${n} each`))),
    h('p', { class: 'muted prose' }, 'Gold’s pieces are round, Silver’s have corners. A piece is not captured by stepping on it: pieces are lost only in traps.'),
    h('div', { class: 'rules' }, rulesInOrder().map(([title, figure, ...text]) => h('section', { class: figure ? 'card rule' : 'card' },
      figure ? figure() : null, h('div', {}, h('h2', {}, title), text)))),
    h('p', {}, h('a', { class: 'button primary', href: '#/play' }, 'Play a game')));
}
