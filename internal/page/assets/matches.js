// The match games of a run: every measurement of a network, and its games.

import { get } from './api.js';
import { h, replace, say } from './dom.js';
import { result } from './games.js';
import { elo } from './lobby.js';
import { counted } from './notation.js';
import { pieceImage } from './pieces.js';

/** tabs leads from the games of self-play to those of the matches and back. */
export function tabs(here) {
  return h('nav', { class: 'segments links', 'aria-label': 'Kinds of games' }, [['#/games', 'Self-play'], ['#/matches', 'Matches']].map(([href, title]) => h('a', {
    href, 'aria-current': href === here ? 'page' : undefined,
  }, title)));
}

/** playerName says a player of a match, such as gen-00012, in words. */
const playerName = (name) => name.replace(/^gen-0*(?=\d)/, 'generation ');

/** matches shows #/matches/RUN/MATCH; without a match, the newest. */
export function matches(main, [first, second]) {
  let alive = true;
  let latest = 0; // number of the latest request; the answers of earlier ones are not shown
  const problem = h('p', { class: 'problem', role: 'alert' });
  const run = h('select', { name: 'run', onchange: () => choose().catch(fail) });
  const match = h('select', { name: 'match', onchange: () => show().catch(fail) });
  const against = h('select', { name: 'against' });
  const [runField, ...fields] = Object.entries({ Run: run, 'Measured network': match, Against: against }).map(([title, select]) => h('label', { class: 'field' }, title, select));
  const form = h('form', { class: 'row card filters', 'aria-label': 'Which match', hidden: true, onsubmit: (e) => e.preventDefault() }, runField, fields);
  const list = h('ul', { class: 'games-list of-matches' });
  replace(main, h('div', { class: 'spread' }, h('h1', {}, 'Match games'), tabs('#/matches')), problem, form, list);
  const fail = (error) => { if (alive) problem.textContent = error.message; };
  const nothing = (text) => replace(list, h('li', { class: 'muted' }, text));

  /** choose fills the form with the matches of a run. */
  async function choose(wanted) {
    const request = ++latest;
    const { matches: all } = await get(`runs/${run.value}/matches`);
    if (!alive || request !== latest) return;
    replace(match, all.map((m) => h('option', { value: m.match, selected: m.match === wanted },
      `generation ${m.generation}${m.gatekeeper ? ', gatekeeper' : ''}${m.rating ? `, ${elo(m.rating)}` : ''}`)));
    for (const field of fields) field.hidden = all.length === 0;
    form.hidden = runField.hidden && all.length === 0;
    if (all.length === 0) return nothing('No match has been played yet; match.every sets how often.');
    await show();
  }

  /** show lists the games of a match. */
  async function show() {
    const [of, name] = [run.value, match.value];
    history.replaceState(null, '', `#/matches/${of}/${name}`);
    const request = ++latest;
    const { games } = await get(`runs/${of}/matches/${name}`);
    if (!alive || request !== latest) return;
    problem.textContent = '';
    const me = name.replace('-gatekeeper', '');
    const other = (g) => (g.gold === me ? g.silver : g.gold);
    const kept = against.value;
    replace(against, h('option', { value: '' }, 'anybody'), [...new Set(games.map(other))].sort().map((n) => h('option', { value: n, selected: n === kept }, playerName(n))));
    const draw = () => {
      const shown = games.filter((g) => !against.value || other(g) === against.value);
      replace(list, shown.map((g) => h('li', {}, h('a', { href: `#/match/${of}/${name}/${g.game}` },
        pieceImage(g.winner === 'gold' ? 'R' : 'r'),
        h('span', {}, `${playerName(g.gold)} against ${playerName(g.silver)}`),
        h('small', {}, `${result(g.winner, g.reason)}, ${counted(g.turns, 'turn')}`)))));
      if (!shown.length) nothing('None of these games is over yet.');
      say(`${counted(shown.length, 'game')} listed`);
    };
    against.onchange = draw;
    draw();
  }

  get('runs').then((runs) => {
    if (!alive) return null;
    if (runs.length === 0) return nothing('This program was started without a run directory.');
    replace(run, runs.map((r) => h('option', { value: r.id, selected: String(r.id) === first }, r.name)));
    runField.hidden = runs.length === 1;
    return choose(second);
  }).catch(fail);
  return () => { alive = false; };
}
