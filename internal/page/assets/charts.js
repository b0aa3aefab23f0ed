// Which charts a run has, and which of its series each of them shows.

import { mixture } from './notation.js';
import { short } from './series.js';

const percent = (y) => `${Number((100 * y).toFixed(Math.abs(y) < 0.1 && y !== 0 ? 1 : 0))}%`;

/**
 * What is drawn, in order. A chart takes the series of its names, or all that
 * begin with one of its prefixes, except some. Series that no chart takes are drawn at the end.
 * Where values are not chances to win, what mixed has takes the place of the rest.
 */
const charts = [
  { title: 'Rating', about: 'Elo with its 95% interval; opponents as lines', names: [['match/elo', 'rating']], margin: 'match/elo_margin', wide: true, rating: true },
  { title: 'Games won', about: 'in matches against each opponent', prefixes: ['match/'], format: percent, low: 0, high: 1 },
  { title: 'Policy loss', about: 'how well it predicts the search, in nats', names: [['held_out/policy', 'held out'], ['loss/policy', 'training']] },
  { title: 'Value loss', about: 'how well it predicts the result, in nats', names: [['held_out/value', 'held out'], ['loss/value', 'training']] },
  { title: 'Known positions', about: 'Gold’s chance to win by the network alone, where the truth is known', prefixes: ['probe/', 'canary/'], except: /_prior$/, format: percent, low: 0, high: 1,
    mixed: { about: `Gold’s value by the network alone, where the truth is known: ${mixture}`, format: short } },
  { title: 'Known steps', about: 'the network’s prior of a step that wins at once', prefixes: ['probe/', 'canary/'], format: percent, low: 0, high: 1 },
  { title: 'How games end', about: 'share of the games without a random opening', prefixes: ['games/end_'], format: percent, zero: 'games/turns', low: 0, high: 1 },
  { title: 'How games end after an opening', about: 'share of the games that begin so', prefixes: ['openings/end_'], format: percent, zero: 'openings/turns', low: 0, high: 1 },
  { title: 'Length of games', about: 'turns of both sides, with those of the opening, without the setup', names: [['games/turns', 'from the setup'], ['openings/turns', 'with an opening']] },
  { title: 'Captures by turn 20', about: 'pieces a game, of both sides', names: [['games/early_captures', 'pieces']], low: 0 },
  { title: 'Games won by Gold', about: 'of the games that somebody won; half would be even', names: [['games/gold_wins', 'from the setup'], ['openings/gold_wins', 'after an opening']], format: percent, lines: [{ y: 0.5, title: 'even' }] },
  { title: 'Entropy', about: 'in nats; lower means more certain', names: [['search/target_entropy', 'targets'], ['search/prior_entropy', 'priors']] },
  { title: 'Full searches', about: 'share of the searched steps', names: [['search/full', 'full']], format: percent, low: 0 },
  { title: 'Games per second', names: [['speed/games', 'games/s']], low: 0 },
  { title: 'Evaluations per second', about: 'positions that self-play asked about, including those that its cache knew', names: [['speed/evaluations', 'evaluations/s'], ['speed/positions', 'positions to learn from/s']], low: 0 },
  { title: 'Who waits for whom', about: 'share of the time', names: [['wait/learner_for_games', 'learner, for games'], ['wait/self_play', 'self-play, for the learner'], ['wait/learner_for_matches', 'learner, for matches']], format: percent, low: 0, high: 1 },
  { title: 'Work for the graphics processor', about: 'share of the time in which it has a batch of games or matches', names: [['device/busy', 'busy']], format: percent, low: 0, high: 1 },
  { title: 'Activations at the limit of int16 or int8', about: 'share of the positions', names: [['int16/limited', 'int16'], ['int8/limited', 'int8']], format: percent, low: 0 },
  { title: 'Gatekeeper', about: 'games won against the network before', prefixes: ['gatekeeper/'], format: percent },
  { title: 'Learning rate', names: [['learner/rate', 'rate']] },
  { title: 'Stage', about: 'of the run, in which each network was trained', names: [['learner/stage', 'stage']] },
  { title: 'Replay window', about: 'positions to learn from', names: [['window/positions', 'positions']], low: 0 },
  { title: 'Memory', about: 'megabytes', prefixes: ['memory/'], low: 0 },
];

const words = (text) => text.replaceAll('_', ' ');
const titleOf = (name) => words(name.slice(name.indexOf('/') + 1));

/** matching returns the names that begin with one of the prefixes, with their titles. */
function matching(names, prefixes) {
  const list = [];
  for (const n of names) {
    const prefix = prefixes.find((p) => n.startsWith(p));
    if (prefix) list.push([n, words(n.slice(prefix.length))]);
  }
  return list.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** plan says which charts a set of runs needs, and which series each has. Mixed is whether any run has values that are not chances to win. */
export function plan(names, mixed = false) {
  const left = new Set(names.filter((n) => !n.startsWith('total/') && n !== 'match/elo_margin'));
  const list = [];
  for (const c of charts) {
    const named = c.names ? c.names.filter(([n]) => left.has(n)) : matching([...left].filter((n) => !c.except?.test(n)), c.prefixes);
    for (const [n] of named) left.delete(n);
    if (named.length > 0 || c.rating) list.push({ ...c, ...(mixed ? c.mixed : null), series: named });
  }
  const groups = new Map();
  for (const n of [...left].sort()) {
    const group = n.includes('/') ? n.slice(0, n.indexOf('/')) : n;
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push([n, titleOf(n)]);
  }
  for (const [group, series] of groups) {
    const title = group[0].toUpperCase() + group.slice(1).replaceAll('_', ' ');
    for (let i = 0; i < series.length; i += 6) list.push({ title: i ? `${title}, more` : title, series: series.slice(i, i + 6) });
  }
  return list;
}
