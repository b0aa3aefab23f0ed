// The analysis of a game: a network searches the beginning of every turn, and what a turn
// lost is the mover's chance to win before it less that after it.

import { post } from './api.js';
import { adviceView } from './advice.js';
import { button, h, recall, remember, replace, say } from './dom.js';
import { chance, worth } from './notation.js';
import { branch, request } from './path.js';
import { Refused } from './refused.js';

const grades = [
  { least: 0.2, mark: '??', name: 'blunder', many: 'blunders' },
  { least: 0.1, mark: '?', name: 'mistake', many: 'mistakes' },
  { least: 0.05, mark: '?!', name: 'inaccuracy', many: 'inaccuracies' },
];

/** gradeOf returns the grade of a loss, or undefined if it is none. */
export const gradeOf = (loss) => grades.find((g) => loss >= g.least);

/**
 * judged says what each turn lost. chances has Gold's chance at the beginning of each turn and
 * at the end of the game, undefined where it is not known; same says whether a turn is the one
 * that the network would play, which loses nothing.
 * @param {{side: string}[]} turns @param {(number|undefined)[]} chances @param {boolean[]} same
 */
export function judged(turns, chances, same) {
  return turns.map((turn, i) => {
    const [before, after] = [chances[i], chances[i + 1]];
    if (before === undefined || after === undefined) return undefined;
    const loss = same[i] ? 0 : Math.max(0, turn.side === 'gold' ? before - after : after - before);
    return { loss, grade: gradeOf(loss) };
  });
}

/** summary says in words how a side played. */
export function summary(turns, judgements, side, mixed) {
  const list = judgements.filter((j, i) => j && turns[i].side === side);
  if (list.length === 0) return '';
  const mean = list.reduce((s, j) => s + j.loss, 0) / list.length;
  const counts = grades.map((g) => [list.filter((j) => j.grade === g).length, g]).filter(([n]) => n > 0).map(([n, g]) => `${n} ${n === 1 ? g.name : g.many}`);
  return `${side[0].toUpperCase()}${side.slice(1)} lost ${mixed ? mean.toFixed(3) : `${(100 * mean).toFixed(1)}%`} a turn: ${counts.join(', ') || 'no mistake'}.`;
}

const onBoard = ['goal', 'elimination', 'immobilization', 'repetition'];
const known = new Map(); // what searches have found, by their requests

/** asked returns what a network expects in a position, from an earlier request if it can. */
async function asked(body, signal) {
  const key = JSON.stringify(body);
  if (!known.has(key)) {
    const found = await post('search', body, signal);
    if (known.size > 1000) known.clear();
    known.set(key, found);
  }
  return known.get(key);
}

/**
 * review analyses a game. turns are the turns after the setups, each from start to end.
 * @param {{game: any, own: any, turns: {start: number, end: number, side: string, label: string, text: string}[], networks: any[], first?: string,
 *   go: (n: number) => void, open: (path: any, at: number) => void, changed: () => void}} on
 */
export function review({ game, own, turns, networks, first, go, open, changed }) {
  let running = null; // the AbortController of an analysis
  let found = []; // what was found at the beginning of each turn
  let end; // Gold's chance at the end of the game
  let mixed = false;
  let judgements = [];
  let here = -1; // the turn that is shown
  let who = ''; // the network that analyses
  let how = ''; // and at which visits

  const choice = (name, title, options) => h('label', { class: 'field' }, title, h('select', { name }, options));
  const network = choice('by', 'Network', networks.map((n) => h('option', { value: n.id, selected: n.id === first }, n.title)));
  const visits = choice('depth', 'Visits for each step', [50, 200, 1000].map((n) => h('option', { value: n, selected: n === Number(recall('depth') || 200) }, n)));
  const submit = h('button', { class: 'button primary', type: 'submit' }, 'Analyse the game');
  const cancel = button('Cancel', () => running?.abort());
  const bar = h('progress', { max: turns.length, value: 0, 'aria-label': 'Analysed turns' });
  const count = h('span', { class: 'muted number' });
  const progress = h('div', { class: 'row middle', hidden: true }, bar, count, cancel);
  const problem = h('p', { class: 'problem', role: 'alert' });
  const result = h('div', { class: 'stack tight' });
  const better = h('div');
  const form = h('form', { class: 'row' }, network, visits, submit);
  const element = h('section', { class: 'card stack tight', 'aria-label': 'Analysis' }, h('h2', {}, 'Analysis'), form, progress, problem, result, better);

  form.addEventListener('submit', (e) => { e.preventDefault(); run(); });

  async function run() {
    running?.abort();
    const mine = running = new AbortController();
    const by = network.lastChild.value;
    const n = Number(visits.lastChild.value);
    remember('depth', String(n));
    [found, end, judgements] = [[], undefined, []];
    who = networks.find((x) => x.id === by).title;
    how = `By ${who}, with ${n} visits for each step.`;
    problem.textContent = '';
    progress.hidden = false;
    submit.disabled = true;
    try {
      for (const [i, turn] of turns.entries()) {
        bar.value = i;
        count.textContent = `turn ${i + 1} of ${turns.length}`;
        found[i] = await asked({ ...request(game, own, turn.start), network: by, visits: n }, mine.signal);
        mixed = found[i].mixed;
        update();
      }
      end = await ending(by, n, mine.signal);
      say('The game is analysed.');
    } catch (error) {
      if (error.name !== 'AbortError') problem.textContent = error.message;
    }
    if (running !== mine) return;
    running = null;
    progress.hidden = true;
    submit.disabled = false;
    update();
  }

  /** ending returns Gold's chance at the end of the game. */
  async function ending(by, n, signal) {
    if (game.winner && onBoard.includes(game.reason)) return game.winner === 'gold' ? 1 : 0;
    try {
      return (await asked({ ...request(game, own, own.frames.length), network: by, visits: n }, signal)).value;
    } catch (error) {
      if (error instanceof Refused && error.status === 400) return undefined; // the game is over there
      throw error;
    }
  }

  /** sameTurn reports whether a turn led to the board to which the network's own would lead. */
  function sameTurn(i) {
    const a = found[i];
    if (!a) return false;
    const next = a.frames[a.turn.length]?.board ?? a.final;
    return next === (own.frames[turns[i].end]?.board ?? game.final);
  }

  function update() {
    judgements = judged(turns, chances(), turns.map((_, i) => sameTurn(i)));
    const list = turns.map((turn, i) => ({ turn, j: judgements[i] })).filter(({ j }) => j?.grade);
    replace(result, found.length ? h('p', { class: 'muted' }, how, ' ', ['gold', 'silver'].map((side) => `${summary(turns, judgements, side, mixed)} `), mixed ? 'The values mix result and pieces; they are not chances to win.' : null) : null,
      list.length ? h('ol', { class: 'moves mistakes', 'aria-label': 'Mistakes', tabIndex: 0 }, list.map(({ turn, j }) => h('li', {}, h('span', { class: 'label' }, turn.label),
        h('button', { type: 'button', onclick: () => go(turn.start) }, h('b', { class: 'grade' }, j.grade.mark), ` −${worth(j.loss, mixed)} `, turn.text)))) : null);
    drawBetter();
    changed();
  }

  const chances = () => [...turns.map((_, i) => found[i]?.value), end];

  /** drawBetter shows what the network would have played in the turn that is shown. */
  function drawBetter() {
    const a = found[here];
    if (!a) return replace(better);
    const turn = turns[here];
    const j = judgements[here];
    const after = chances()[here + 1];
    const show = () => open(branch(own, turn.start, a.frames, a.final, `What ${who} expects`), turn.start);
    replace(better, h('div', { class: 'better' },
      h('h3', {}, sameTurn(here) ? `${turn.label}: the network would play the same` : `${turn.label}: the network would play`),
      h('p', { class: 'muted number' }, `Before the turn ${chance(a.value, mixed)}`, after === undefined ? '' : `; after ${turn.text} ${chance(after, mixed)}`,
        j?.grade ? `, a loss of ${worth(j.loss, mixed)}: ${j.grade.name}` : '', '.'),
      adviceView(a, show)));
  }

  return {
    element, run,
    close: () => running?.abort(),
    /** moved says which step of the game is shown, or below 0 if it is none of the game's own. */
    moved(n) {
      const before = here;
      here = turns.findIndex((t) => n >= t.start && n < t.end);
      if (here !== before) drawBetter();
    },
    /** points are Gold's chances by the analysis, by step. */
    points: () => chances().map((y, i) => ({ x: i < turns.length ? turns[i].start : own.frames.length, y })).filter((p) => p.y !== undefined),
    /** marks are the places of the mistakes in a plot. */
    marks: () => turns.map((t, i) => ({ x: t.start, y: found[i]?.value, grade: judgements[i]?.grade })).filter((m) => m.grade).map(({ x, y, grade }) => ({ x, y, text: grade.mark })),
    /** judgement returns what was found of the turn that begins with a step. */
    judgement: (start) => judgements[turns.findIndex((t) => t.start === start)],
    mixed: () => mixed,
  };
}
