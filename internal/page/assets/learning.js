// Is it learning? The curves of one run or several.

import { get, listen } from './api.js';
import { h, recall, remember, replace } from './dom.js';
import { mixture } from './notation.js';
import { Plot } from './plot.js';
import { axes, merge, points, positions, short } from './series.js';

const percent = (y) => `${Number((100 * y).toFixed(Math.abs(y) < 0.1 && y !== 0 ? 1 : 0))}%`;

/**
 * What is drawn, in order. A chart takes the series of its names, or all that
 * begin with one of its prefixes, except some. Series that no chart takes are drawn at the end.
 * Where values are not chances to win, what mixed has takes the place of the rest.
 */
const charts = [
  { title: 'Rating', about: 'Elo with its 95% interval; opponents as lines', names: [['match/elo', 'rating']], margin: 'match/elo_margin', wide: true, rating: true },
  { title: 'Games won', about: 'in matches against each opponent', prefixes: ['match/'], format: percent, low: 0, high: 1 },
  { title: 'Policy loss', about: 'how well it predicts the search', names: [['held_out/policy', 'held out'], ['loss/policy', 'training']] },
  { title: 'Value loss', about: 'how well it predicts the result', names: [['held_out/value', 'held out'], ['loss/value', 'training']] },
  { title: 'Known positions', about: 'Gold’s chance to win by the network alone, where the truth is known', prefixes: ['probe/', 'canary/'], except: /_prior$/, format: percent, low: 0, high: 1,
    mixed: { about: `Gold’s value by the network alone, where the truth is known: ${mixture}`, format: short } },
  { title: 'Known steps', about: 'the network’s prior of a step that wins at once', prefixes: ['probe/', 'canary/'], format: percent, low: 0, high: 1 },
  { title: 'How games end', about: 'share of the games that begin with a searched setup', prefixes: ['games/end_', 'end/'], format: percent, zero: 'games/turns', low: 0, high: 1 },
  { title: 'How games end after an opening', about: 'share of the games that begin so', prefixes: ['openings/end_'], format: percent, zero: 'openings/turns', low: 0, high: 1 },
  { title: 'Length of games', about: 'turns of both sides, with those of the opening, without the setup', names: [['games/turns', 'from the setup'], ['openings/turns', 'with an opening']] },
  { title: 'Captures by turn 20', about: 'pieces a game, of both sides', names: [['games/early_captures', 'pieces']], low: 0 },
  { title: 'Games won by Gold', about: 'of the games that somebody won; half would be even', names: [['games/gold_wins', 'from the setup'], ['openings/gold_wins', 'after an opening']], format: percent, lines: [{ y: 0.5, title: 'even' }] },
  { title: 'Entropy', about: 'in nats; lower is surer of its step', names: [['search/target_entropy', 'targets'], ['search/prior_entropy', 'priors']] },
  { title: 'Full searches', about: 'share of the searched steps', names: [['search/full', 'full']], format: percent, low: 0 },
  { title: 'Games per second', names: [['speed/games', 'games/s']], low: 0 },
  { title: 'Evaluations per second', about: 'positions that self-play asked about, including those that its cache knew', names: [['speed/evaluations', 'evaluations/s'], ['speed/positions', 'positions to learn from/s']], low: 0 },
  { title: 'Who waits for whom', about: 'share of the time', names: [['wait/learner_for_games', 'learner, for games'], ['wait/self_play', 'self-play, for the learner'], ['wait/learner_for_matches', 'learner, for matches']], format: percent, low: 0, high: 1 },
  { title: 'Work for the graphics processor', about: 'share of the time in which it has a batch of games or matches', names: [['device/busy', 'busy']], format: percent, low: 0, high: 1 },
  { title: 'Gatekeeper', about: 'games won against the network before', prefixes: ['gatekeeper/'], format: percent },
  { title: 'Learning rate', names: [['learner/rate', 'rate']] },
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

export function learning(main) {
  const runs = new Map(); // id: {info, columns, on}
  const plots = new Map();
  let axis = axes.find((a) => a.id === recall('axis')) || axes[0];
  let range = null;
  let alive = true;

  const verdicts = h('div');
  const liveLine = h('p', { class: 'live-line', hidden: true });
  const controls = h('div', { class: 'row' });
  const grid = h('div', { class: 'plots' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  replace(main, h('h1', {}, 'Is it learning?'), problem, verdicts, liveLine, controls, grid);

  const shown = () => [...runs.values()].filter((r) => r.on && r.columns);

  function drawControls() {
    const segments = h('div', { class: 'segments', role: 'group', 'aria-label': 'Curves over' }, axes.map((a) => h('button', {
      type: 'button', 'aria-pressed': String(a === axis), onclick: () => { axis = a; range = null; remember('axis', a.id); drawControls(); draw(); },
    }, a.title)));
    const boxes = runs.size < 2 ? null : h('div', { class: 'row middle', role: 'group', 'aria-label': 'Runs' }, [...runs.values()].map((r) => h('label', {},
      h('input', { type: 'checkbox', checked: r.on, onchange: (e) => { r.on = e.target.checked; draw(); } }), ' ', r.info.name)));
    replace(controls, segments, boxes, range
      ? h('button', { class: 'button', type: 'button', onclick: () => { range = null; drawControls(); draw(); } }, `Show all (now ${axis.title} ${short(range[0])} to ${short(range[1])})`)
      : h('span', { class: 'kbd-help' }, 'Drag over a curve for a range, double-click for all.'));
  }

  function curvesOf(chart) {
    const curves = [];
    const lines = [...(chart.lines || [])];
    shown().forEach((run, i) => {
      const xs = positions(run.columns, axis);
      chart.series.forEach(([name, title], j) => {
        const turns = chart.zero && run.columns.values[chart.zero];
        const list = points(run.columns, name, xs, turns ? (row) => (turns[row] === null ? null : 0) : null);
        const margins = chart.margin && run.columns.values[chart.margin];
        if (margins) for (const p of list) p.margin = margins[p.row] ?? undefined;
        // One run: a colour and a dash for each series. Several: a colour for each
        // run, a dash for each series.
        const several = shown().length > 1;
        curves.push({ title: several ? `${run.columns.name}: ${title}` : title, points: list, color: (several ? i : j) % 6 + 1, dash: j });
      });
      if (chart.rating) for (const r of run.columns.ratings || []) if (!lines.some((l) => l.title === r.name)) lines.push({ y: r.elo, title: r.name });
    });
    return { curves, lines };
  }

  function draw() {
    const names = new Set(shown().flatMap((r) => Object.keys(r.columns.values)));
    verdicts.className = shown().length > 1 ? 'several' : '';
    replace(verdicts, shown().map((r) => [
      runs.size > 1 ? h('p', { class: 'run-name' }, r.columns.name) : null,
      h('p', { class: 'verdict' }, r.columns.verdict),
    ]));
    const wanted = plan([...names], shown().some((r) => r.columns.mixed));
    for (const [title, plot] of plots) {
      if (!wanted.some((c) => c.title === title)) {
        plot.close();
        plot.element.remove();
        plots.delete(title);
      }
    }
    let place = 0;
    for (const chart of wanted) {
      const { curves, lines } = curvesOf(chart);
      if (!curves.some((c) => c.points.length)) {
        if (!chart.rating || names.size === 0) continue;
        chart.about = 'no match has been played yet; match.every says how often one is';
      }
      const spec = {
        title: chart.title, about: chart.about, xTitle: axis.title, curves, lines, wide: chart.wide, format: chart.format, low: chart.low, high: chart.high, range,
        onRange: (r) => { range = r; drawControls(); draw(); },
      };
      if (plots.has(chart.title)) plots.get(chart.title).update(spec);
      else {
        const plot = new Plot(spec);
        plots.set(chart.title, plot);
      }
      const { element } = plots.get(chart.title);
      if (grid.children[place] !== element) grid.insertBefore(element, grid.children[place] || null);
      place++;
    }
  }

  async function load(id, from) {
    const newer = await get(`runs/${id}/series${from === undefined ? '' : `?from=${from}`}`);
    const run = runs.get(id);
    if (!alive || !run) return;
    run.columns = from === undefined ? newer : merge(run.columns, newer);
  }

  const behind = new Map(); // runs that are being fetched, and whether more has come since

  /** follow fetches what is new of a run: one request at a time, however fast news comes. */
  async function follow(id) {
    const busy = behind.has(id);
    behind.set(id, busy);
    if (busy) return;
    try {
      do {
        behind.set(id, false);
        const steps = runs.get(id)?.columns?.steps || [];
        // A rating of an earlier generation may have come since.
        await load(id, steps.length > 50 ? steps[steps.length - 50] : undefined);
        if (alive) draw();
        problem.textContent = '';
      } while (alive && behind.get(id));
    } catch (error) {
      problem.textContent = error.message;
    }
    behind.delete(id);
  }

  function live({ status, boards }) {
    liveLine.hidden = !status.title && boards.length === 0;
    if (status.ended) {
      replace(liveLine, h('b', {}, status.ended), h('span', { class: 'muted' }, 'This page shows it until the program stops.'));
      return;
    }
    replace(liveLine,
      h('span', {}, h('span', { class: 'live-dot', 'aria-hidden': 'true' }), h('b', {}, `Training: ${status.title}`)),
      status.done > 0 ? h('progress', { value: status.done, max: 1, 'aria-label': 'Done' }) : null,
      status.rates.map((r) => h('span', { class: 'number' }, `${short(r.value)} ${r.name}/s`)),
      status.values.map((v) => h('span', { class: 'number muted' }, `${v.name} ${short(v.value)}`)),
      boards.length ? h('a', { href: '#/games' }, 'See the running games') : null);
  }

  let stop = () => {};
  (async () => {
    try {
      const list = await get('runs');
      for (const info of list) runs.set(info.id, { info, on: true, columns: null });
      if (list.length === 0) {
        replace(main, h('h1', {}, 'No run is shown here'),
          h('p', { class: 'lede' }, 'This program was started without a run directory.'),
          h('p', {}, h('a', { class: 'button primary', href: '#/play' }, 'Play a game'), ' ', h('a', { class: 'button', href: '#/rules' }, 'Learn the rules')));
        return;
      }
      await Promise.all(list.map((r) => load(r.id)));
      if (!alive) return;
      drawControls();
      draw();
      stop = listen({
        live,
        series: ({ run }) => follow(run),
      }, (trouble) => {
        problem.textContent = trouble;
        if (trouble) liveLine.hidden = true; // nobody knows whether it still trains
      });
      if (!alive) stop();
    } catch (error) {
      problem.textContent = error.message;
    }
  })();
  return () => {
    alive = false;
    stop();
    for (const p of plots.values()) p.close();
  };
}
