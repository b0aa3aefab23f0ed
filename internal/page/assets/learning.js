// Is it learning? The curves of one run or several.

import { get, listen } from './api.js';
import { plan } from './charts.js';
import { button, h, recall, redraw, remember, replace } from './dom.js';
import { expectation, liveBoards } from './games.js';
import { Plot } from './plot.js';
import { axes, continues, labels, merge, points, positions, short, together } from './series.js';
import { settingsOf } from './settings.js';

export function learning(main) {
  const runs = new Map(); // id: {info, columns, on}
  const plots = new Map();
  let axis = axes.find((a) => a.id === recall('axis')) || axes[0];
  let range = null;
  let smooth = Number(recall('smooth')) || 0;
  let log = recall('log') === 'on';
  let alive = true;

  const verdicts = h('div');
  const facts = h('span', { class: 'facts' });
  const games = h('a', { href: '#/games', hidden: true }, 'See the running games'); // apart, since what is drawn anew twice a second cannot be clicked
  const liveLine = h('p', { class: 'live-line', hidden: true }, facts, games);
  const controls = h('div', { class: 'row' });
  const grid = h('div', { class: 'plots' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  let lost = ''; // what is wrong with the connection, whatever was answered before
  const young = h('p', { class: 'first-steps', hidden: true }, 'The games of generation 0 are played without a network, and teach the first one. ',
    'The curves begin with that network. The rating begins with the first match; match.every sets when.');
  const running = liveBoards();
  const expected = expectation();
  const settings = settingsOf(() => shown().map((r) => r.info));
  replace(main, h('h1', {}, 'Is it learning?'), problem, verdicts, liveLine, young, running.element, controls, settings.element, grid);

  const shown = () => [...runs.values()].filter((r) => r.on && r.columns);

  function drawControls() {
    const segments = h('div', { class: 'segments', role: 'group', 'aria-label': 'Curves over' }, axes.map((a) => h('button', {
      type: 'button', 'aria-pressed': String(a === axis), onclick: () => { axis = a; range = null; remember('axis', a.id); drawControls(); draw(); },
    }, a.title)));
    const boxes = runs.size < 2 ? null : h('div', { class: 'row middle', role: 'group', 'aria-label': 'Runs' }, [...runs.values()].map((r) => h('label', {},
      h('input', { type: 'checkbox', checked: r.on, onchange: (e) => { r.on = e.target.checked; draw(); settings.refresh(); } }), ' ', r.info.name)));
    const slider = h('label', { class: 'slide' }, 'Smoothing', h('input', { type: 'range', name: 'smooth', min: 0, max: 0.95, step: 0.05, value: smooth, oninput: (e) => {
      smooth = Number(e.target.value);
      remember('smooth', String(smooth));
      draw();
    } }));
    const scale = h('label', { class: 'slide' }, h('input', { type: 'checkbox', name: 'log', checked: log, onchange: (e) => {
      log = e.target.checked;
      remember('log', log ? 'on' : null);
      draw();
    } }), 'Logarithmic');
    redraw(controls, segments, slider, scale, boxes, range
      ? button(`Show all (now ${axis.title} ${labels(range, short).join(' to ')})`, () => { range = null; drawControls(); draw(); })
      : h('span', { class: 'kbd-help' }, 'Click a plot to enlarge it. Drag to select a range; double-click to show all.'));
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
    document.title = `${shown().map((r) => r.columns.name).join(', ') || 'Is it learning?'} · Warren`;
    grid.hidden = shown().length > 0 && shown().every((r) => r.columns.steps.length === 0);
    controls.hidden = grid.hidden && runs.size < 2; // the boxes of several runs stay
    young.hidden = !grid.hidden || !shown().some((r) => r.info.live);
    const names = new Set(shown().flatMap((r) => Object.keys(r.columns.values)));
    verdicts.className = shown().length > 1 ? 'several' : '';
    replace(verdicts, shown().map((r) => [
      h('p', { class: 'run-name' }, r.columns.name),
      h('p', { class: 'verdict' }, r.columns.verdict),
    ]));
    const wanted = plan([...names], shown().some((r) => r.columns.mixed)).map((chart) => ({ ...chart, ...curvesOf(chart) })).filter((c) => c.curves.some((k) => k.points.length));
    for (const [title, plot] of plots) {
      if (!wanted.some((c) => c.title === title)) {
        plot.close();
        plot.element.remove();
        plots.delete(title);
      }
    }
    let place = 0;
    for (const chart of wanted) {
      const spec = {
        title: chart.title, about: chart.about, xTitle: axis.title, curves: chart.curves, lines: chart.lines, wide: chart.wide, format: chart.format, low: chart.low, high: chart.high, range, smooth, log, zooms: true,
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

  /** drawSoon draws for the news of a run; with many runs, each drawing takes long. */
  const drawSoon = together(() => {
    if (alive) draw();
  }, 200);

  async function load(id, from) {
    const newer = await get(`runs/${id}/series${from === undefined ? '' : `?from=${from}`}`);
    const run = runs.get(id);
    if (!alive || !run) return;
    if (from !== undefined && !continues(run.columns, newer)) return void await load(id);
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
        drawSoon();
        problem.textContent = lost;
      } while (alive && behind.get(id));
    } catch (error) {
      problem.textContent = error.message;
    }
    behind.delete(id);
  }

  function live({ status, boards, mixed }) {
    running.update(grid.hidden ? boards : [], mixed);
    liveLine.hidden = !status.title && boards.length === 0;
    games.hidden = Boolean(status.ended) || boards.length === 0;
    if (status.ended) {
      replace(facts, h('b', {}, status.ended), h('span', { class: 'muted' }, 'The page stays until the program stops.'));
      return;
    }
    replace(facts,
      h('span', {}, h('span', { class: 'live-dot', 'aria-hidden': 'true' }), h('b', {}, `Training: ${status.title}`)),
      status.done > 0 ? h('progress', { value: status.done, max: 1, 'aria-label': 'Done' }) : null,
      status.rates.map((r) => h('span', { class: 'number' }, `${short(r.value)} ${r.name}/s`)),
      status.values.map((v) => h('span', { class: 'number muted' }, `${v.name} ${short(v.value)}`)),
      status.rates.some((r) => r.name === 'games') ? null : h('span', { class: 'muted' }, expected(boards, performance.now() / 1000)));
  }

  let stop = () => {};
  (async () => {
    try {
      const list = await get('runs');
      if (!alive) return;
      for (const info of list) runs.set(info.id, { info, on: true, columns: null });
      if (list.length === 0) {
        replace(main, h('h1', {}, 'No run is shown here'),
          h('p', { class: 'lede' }, 'This program was started without a run directory.'),
          h('p', {}, h('a', { class: 'button primary', href: '#/play' }, 'Play a game'), ' ', h('a', { class: 'button', href: '#/rules' }, 'Learn the rules')));
        return;
      }
      await Promise.all(list.map((r) => load(r.id).catch((error) => {
        if (list.length === 1) throw error;
        runs.get(r.id).columns = { name: r.name, verdict: error.message, steps: [], times: [], values: {} }; // the others are shown
      })));
      if (!alive) return;
      drawControls();
      draw();
      settings.refresh();
      stop = listen({
        live,
        series: ({ run }) => follow(run),
      }, (trouble) => {
        problem.textContent = lost = trouble;
        if (!trouble) return;
        liveLine.hidden = true; // nobody knows whether it still trains
        running.update([]);
      });
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
