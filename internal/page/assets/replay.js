// Games to replay: those of a run, those of its matches, and those that a visitor brings.

import { get, post, start } from './api.js';
import { h, recallHere, replace } from './dom.js';
import { fragment, shared } from './share.js';
import { viewer } from './viewer.js';

/** replay shows a stored game: #/game/RUN/NUMBER/STEP. */
export function replay(main, [run, number, step]) {
  return viewed(main, () => get(`runs/${Number(run)}/games/${encodeURIComponent(number)}`), { address: (game, n) => `#/game/${run}/${number}/${n}`, first: stepOf(step), back: '#/games' });
}

/** matchReplay shows a game of a match: #/match/RUN/MATCH/NUMBER/STEP. */
export function matchReplay(main, [run, match, number, step]) {
  return viewed(main, () => get(`runs/${Number(run)}/matches/${encodeURIComponent(match)}/${encodeURIComponent(number)}`), { address: (game, n) => `#/match/${run}/${match}/${number}/${n}`, first: stepOf(step), back: `#/matches/${run}/${match}` });
}

/** list is where the list of games is; a board without runs has none. */
const list = start === 'learning' ? '#/games' : '';

/** analysis shows the game that was pasted; #/analysis/now analyses it at once. */
export function analysis(main, [now]) {
  if (now === 'now') history.replaceState(null, '', '#/analysis');
  return viewed(main, () => post('analyse', { moves: recallHere('pasted') || '' }), { back: list, analyse: now === 'now' });
}

/** study shows the game or position that a link holds: see share.js. */
export function study(main, words) {
  let first;
  return viewed(main, async () => {
    const game = shared(words);
    first = game.at;
    return post('analyse', game);
  }, { address: (game, n) => fragment({ ...game, actions: game.frames.map((f) => f.action) }, n), first: () => first, back: list });
}

const stepOf = (step) => () => (step === undefined ? undefined : Number(step) || 0);

function viewed(main, ask, options) {
  let alive = true;
  let end = () => {};
  replace(main, h('p', { class: 'muted' }, 'Fetching the game…'));
  ask().then((game) => { if (alive) end = viewer(main, game, { ...options, first: options.first?.() }); }, (error) => {
    if (alive) replace(main, h('h1', {}, 'This game cannot be shown'), h('p', { class: 'problem', role: 'alert' }, error.message), list ? h('p', {}, h('a', { href: list }, 'Back to the games')) : null);
  });
  return () => { alive = false; end(); };
}
