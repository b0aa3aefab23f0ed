// Puzzles: a position, a task, and one right answer.

import { get, post } from './api.js';
import { Board, dragging } from './board.js';
import { button, h, recall, recallObject, redraw, remember, replace, say } from './dom.js';
import { Hand } from './hand.js';
import { endTurn, fromOf, numbered, square } from './notation.js';

const title = (word) => word[0].toUpperCase() + word.slice(1);

/** choose lists the puzzles of a kind and a difficulty, those not yet solved first. */
export function choose(all, { kind, difficulty }, solved) {
  const of = all.filter((p) => (!kind || p.kind === kind) && (!difficulty || p.difficulty === difficulty || p.difficulty === 'untried'));
  return [...of.filter((p) => !solved[p.id]), ...of.filter((p) => solved[p.id])];
}

/** puzzles shows #/puzzles, and #/puzzles/ID. */
export function puzzles(main, [wanted]) {
  let alive = true;
  let end = () => {};
  replace(main, h('h1', {}, 'Puzzles'), h('p', { class: 'muted' }, 'Setting up the board…'));
  get('puzzles').then(({ puzzles: all }) => {
    if (alive) end = table(main, all, wanted);
  }, (error) => alive && replace(main, h('h1', {}, 'Puzzles'), h('p', { class: 'problem', role: 'alert' }, error.message)));
  return () => { alive = false; end(); };
}

function table(main, all, wanted) {
  let alive = true;
  let p = null; // the puzzle
  let made = []; // the actions of the turn so far
  let position = null; // what can be played after them
  let hints = 0;
  let wrong = false;
  let over = false;
  let asked = 0; // positions so far; only the last one is shown and judged
  let run = Number(recall('puzzle.run')) || 0;
  const solved = recallObject('puzzle.solved');
  const filter = { difficulty: 'easy', ...recallObject('puzzle.filter') };
  const board = new Board({ play: true, label: 'The puzzle' });
  const text = h('p', { class: 'lede' });
  const told = h('p', { class: 'told', role: 'status' });
  const turns = h('div', { class: 'stack tight' });
  const controls = h('div', { class: 'controls' });
  const score = h('p', { class: 'muted' });
  const hand = new Hand(board, {
    position: () => (over || position?.toMove !== p.side ? null : position),
    play: (actions) => go([...made, ...actions]),
    why: async (from, to) => (await post('why', { position: p.position, actions: made, from, to })).text,
    draw: () => hand.mark(),
    tell: (t) => { told.textContent = t; },
  });
  const drop = dragging(board, hand);

  function select(name, values, any) {
    return h('label', { class: 'field' }, title(name), h('select', { name, onchange: (e) => {
      filter[name] = e.target.value;
      next();
    } }, [['', any], ...values.map((v) => [v, title(v)])].map(([value, label]) => h('option', { value, selected: (filter[name] || '') === value }, label))));
  }

  /** go shows the position after some actions; a whole turn is an answer. */
  async function go(actions) {
    const mine = ++asked;
    try {
      const found = await post('position', { position: p.position, actions });
      if (!alive || mine !== asked) return;
      [made, position] = [actions, found];
      hand.clear();
      board.show(found.board);
      board.arrows(numbered(made, 'played'));
      hand.mark();
      draw();
      if (made.length && (found.winner || found.toMove !== p.side)) await judge(made);
    } catch (error) {
      if (mine === asked) told.textContent = error.message;
    }
  }

  async function judge(actions) {
    const mine = asked;
    const { right, reply } = await post(`puzzles/${p.id}`, { actions });
    if (!alive || mine !== asked) return;
    if (right) {
      over = true;
      if (!wrong && !hints) count(run + 1);
      Object.assign(solved, recallObject('puzzle.solved'), { [p.id]: 1 }); // another tab may have added some
      remember('puzzle.solved', JSON.stringify(solved));
      told.textContent = wrong || hints || run < 2 ? 'Right.' : `Right. That is ${run} in a row.`;
    } else {
      wrong = true;
      count(0);
      told.textContent = reply ? `Not so. Then ${p.side === 'gold' ? 'Silver' : 'Gold'} wins by ${reply.text}.` : 'Not so.';
      if (reply) board.arrows(numbered(reply.actions, 'other'));
    }
    draw();
  }

  function count(n) {
    run = n;
    remember('puzzle.run', String(n));
  }

  async function hint() {
    const of = p;
    const { actions, text: answer } = await post(`puzzles/${p.id}`, {});
    if (!alive || of !== p) return;
    hints++;
    count(0);
    await go([]);
    if (!alive || of !== p) return;
    const shown = actions.slice(0, hints - 1);
    told.textContent = hints === 1 ? `The piece on ${square(fromOf(actions[0]))} moves first.`
      : shown.length < actions.filter((a) => a !== endTurn).length ? 'It begins like this.' : `The answer is ${answer}.`;
    board.arrows(numbered(shown, 'played'));
    if (hints === 1) board.mark({ chosen: [fromOf(actions[0])] });
  }

  function draw() {
    const again = () => { told.textContent = ''; go([]); };
    redraw(controls,
      !over && position?.legal.includes(endTurn) && made.length ? button('End turn', () => go([...made, endTurn])) : null,
      !over && made.length ? button(wrong ? 'Try again' : 'Take back', again) : null,
      over ? null : button('Hint', () => hint().catch((error) => { told.textContent = error.message; })),
      button(over ? 'Next puzzle' : 'Skip', () => { if (!over) count(0); next(); }, { class: over ? 'button primary' : 'button' }));
    replace(score, `${Object.keys(solved).length} of ${all.length} solved, ${run} in a row`);
  }

  function next() {
    const list = choose(all, filter, solved);
    if (!list.length) {
      told.textContent = 'There are no such puzzles.';
      return;
    }
    remember('puzzle.filter', JSON.stringify(filter));
    const fresh = list.filter((q) => !solved[q.id]);
    const from = (fresh.length ? fresh : list).filter((q) => q !== p || list.length === 1);
    show((from.length ? from : list)[Math.floor(Math.random() * (from.length || list.length))]);
  }

  function show(puzzle) {
    p = puzzle;
    [made, position, hints, wrong, over] = [[], null, 0, false, false];
    history.replaceState(null, '', `#/puzzles/${p.id}`);
    replace(text, h('b', {}, `${title(p.side)} to move. `), p.task);
    say(text.textContent);
    told.textContent = '';
    replace(turns, p.choices?.map((c) => button(c.text, () => !over && go(c.actions))), h('p', { class: 'muted' }, `${p.id}, ${p.difficulty}`));
    board.flip(p.side === 'silver');
    go([]);
  }

  main.classList.add('wide');
  replace(main, h('div', { class: 'desk' }, h('div', { class: 'head stack tight' }, h('h1', {}, 'Puzzles'), text),
    h('div', { class: 'board-frame' }, board.element),
    h('div', { class: 'side stack' }, told, turns, controls, score,
      h('div', { class: 'controls' }, select('kind', ['goal', 'forced', 'defence', 'capture', 'trap', 'gain'], 'All kinds'), select('difficulty', ['easy', 'medium', 'hard'], 'Any')))));
  const first = all.find((q) => q.id === wanted);
  if (first) show(first);
  else next();
  return () => {
    alive = false;
    drop();
    main.classList.remove('wide');
  };
}
