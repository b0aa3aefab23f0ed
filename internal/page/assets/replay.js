// One game, step by step and turn by turn, with what the search saw.

import { get, post } from './api.js';
import { Board } from './board.js';
import { h, recall, remember, replace, say } from './dom.js';
import { result } from './games.js';
import { actionName, chance, endTurn, fromOf, isStep, mixture, shares, toOf, worth } from './notation.js';
import { Plot } from './plot.js';

/** replay shows a stored game: #/game/RUN/NUMBER/STEP. */
export function replay(main, [run, number, step]) {
  return viewed(main, get(`runs/${Number(run)}/games/${encodeURIComponent(number)}`), (n) => `#/game/${run}/${number}/${n}`, step === undefined ? undefined : Number(step) || 0, '#/games');
}

/** matchReplay shows a game of a match: #/match/RUN/MATCH/NUMBER/STEP. */
export function matchReplay(main, [run, match, number, step]) {
  return viewed(main, get(`runs/${Number(run)}/matches/${encodeURIComponent(match)}/${encodeURIComponent(number)}`), (n) => `#/match/${run}/${match}/${number}/${n}`, step === undefined ? undefined : Number(step) || 0, `#/matches/${run}/${match}`);
}

/** analysis shows the game that was pasted, as a network sees it. */
export function analysis(main) {
  return viewed(main, post('analyse', { moves: recall('pasted') || '' }), null, undefined, '#/games');
}

/** ends returns the indices of the frames that begin a turn, and the end. */
export function turnStarts(frames) {
  const starts = [];
  frames.forEach((f, i) => { if (i === 0 || f.label !== frames[i - 1].label) starts.push(i); });
  return starts;
}

function viewed(main, promise, address, first, back) {
  let alive = true;
  let end = () => {};
  replace(main, h('p', { class: 'muted' }, 'Fetching the game…'));
  promise.then((game) => { if (alive) end = viewer(main, game, address, first, back); }, (error) => {
    if (alive) replace(main, h('h1', {}, 'This game cannot be shown'), h('p', { class: 'problem', role: 'alert' }, error.message), h('p', {}, h('a', { href: '#/games' }, 'Back to the games')));
  });
  return () => { alive = false; end(); };
}

function viewer(main, game, address, first, back) {
  const frames = game.frames;
  const starts = turnStarts(frames);
  const last = frames.length;
  const played = starts[2] ?? last; // after the setups
  const searched = frames.some((f) => f.visits);
  let at = Math.min(last, first ?? played);
  let timer = null;
  let mode = searched && recall('view') !== 'network' ? 'search' : 'network';
  let abort = null; // of the network's view that is being fetched
  let seenBy = ''; // the network whose view the frames have
  let seenMixed = false; // whether its values are not chances to win

  const board = new Board({ label: 'The board' });
  const bar = h('div', { class: 'evalbar none', role: 'img' }, h('div'));
  const line = h('p', { class: 'turn-line', 'aria-live': 'polite' });
  const view = h('div', { class: 'stack' });
  const modes = h('div', { class: 'row' });
  const trouble = h('p', { class: 'problem', role: 'alert' });
  const unexpected = h('div');
  const moves = h('ol', { class: 'moves', 'aria-label': 'Turns', tabIndex: 0 });
  const button = (text, name, f) => h('button', { class: 'button', type: 'button', 'aria-label': name, title: name, onclick: () => { pause(); f(); } }, text);
  const playButton = h('button', { class: 'button primary', type: 'button', 'aria-label': 'Play', onclick: () => (timer ? pause() : start()) }, '▶');
  const controls = h('div', { class: 'steps-bar', role: 'group', 'aria-label': 'Replay' },
    button('|‹', 'To the beginning', () => go(0)), button('«', 'A turn back', () => turn(-1)), button('‹', 'A step back', () => go(at - 1)), playButton,
    button('›', 'A step on', () => go(at + 1)), button('»', 'A turn on', () => turn(1)), button('›|', 'To the end', () => go(last)));
  const plot = new Plot({ title: '', xTitle: 'step', curves: [], plain: true });
  plot.canvas.style.height = '150px';
  const plotCard = h('div', { class: 'card' }, plot.element);
  const asked = asking(frames, () => at, game.missing || [], (turn) => board.arrows(turn.filter(isStep).map((a) => ({ from: fromOf(a), to: toOf(a), width: 0.5, kind: 'other' }))));

  replace(main,
    h('div', { class: 'spread' }, h('h1', {}, game.title), h('a', { href: back }, 'Back to the list')),
    h('p', { class: 'muted' }, `${result(game.winner, game.reason)} after ${game.turns} turns`, game.generation >= 0 ? `, played by generation ${game.generation}` : '', game.opening > 0 ? `; its first ${game.opening} turns were an opening` : '', game.missing?.length ? `; ${game.missing.length} pieces were missing from its first turn on` : '', '.'),
    game.problem ? h('p', { class: 'problem', role: 'alert' }, `The text ends with a mistake: ${game.problem}. The game is shown up to there.`) : null,
    h('div', { class: 'desk bleed' },
      h('div', { class: 'stack' }, line, h('div', { class: 'with-bar board-frame' }, bar, board.element), controls,
        h('p', { class: 'kbd-help' }, h('kbd', {}, '←'), ' ', h('kbd', {}, '→'), ' step, with ', h('kbd', {}, 'Shift'), ' turn, ', h('kbd', {}, 'Space'), ' plays')),
      h('div', { class: 'stack' }, modes, trouble, plotCard, view, unexpected,
        h('details', { class: 'card' }, h('summary', {}, 'Search this position with one network or two'), asked.element),
        h('details', { open: innerWidth > 860 }, h('summary', {}, 'All turns'), moves))));

  const stepButtons = [];
  starts.forEach((s, t) => {
    const until = starts[t + 1] ?? last;
    const setup = frames[s].left === 0;
    moves.append(h('li', {}, h('span', { class: 'label' }, frames[s].label), h('span', {}, setup
      ? (stepButtons[s] = h('button', { type: 'button', onclick: () => { pause(); go(until); } }, 'setup'))
      : frames.slice(s, until).map((f, i) => f.action === endTurn ? null : (stepButtons[s + i] = h('button', { type: 'button', onclick: () => { pause(); go(s + i); } }, f.text))))));
  });

  /** drawModes offers the view of the search, if there was one, and that of each network. */
  function drawModes(networks) {
    const known = networks.some((n) => n.id === game.network);
    const kept = recall('viewer');
    const chosen = known ? game.network : networks.some((n) => n.id === kept) ? kept : networks[0]?.id;
    const select = h('select', { name: 'viewer' }, networks.map((n) => h('option', { value: n.id, selected: n.id === chosen }, n.title + (n.id === game.network ? ', which played' : ''))));
    const field = h('label', { class: 'field' }, 'Seen by', select);
    const show = (next) => {
      mode = next;
      for (const b of segments.children) b.setAttribute('aria-pressed', String(b.name === mode));
      field.hidden = mode !== 'network';
      if (mode === 'network') look(select.value);
      go(at);
    };
    const segments = h('div', { class: 'segments', role: 'group', 'aria-label': 'What is shown' }, [['search', 'The search'], ['network', 'The network alone']].map(([name, text]) => h('button', {
      type: 'button', name, onclick: () => { remember('view', name); show(name); },
    }, text)));
    select.addEventListener('change', () => { remember('viewer', select.value); look(select.value); });
    replace(modes, searched && networks.length ? segments : null, networks.length ? field : null);
    show(networks.length ? mode : 'search');
  }

  /** look fetches what a network thinks of every position, without a search. */
  async function look(id) {
    if (!id || id === seenBy) return;
    abort?.abort();
    abort = new AbortController();
    trouble.textContent = '';
    try {
      const found = await post('analyse', { actions: frames.map((f) => f.action), missing: game.missing || [], network: id }, abort.signal);
      found.frames.forEach((f, i) => { frames[i].network = f.network; frames[i].priors = f.priors; frames[i].prior = f.prior; });
      [seenBy, seenMixed] = [id, found.mixed];
      drawUnexpected();
      go(at);
    } catch (error) {
      if (error.name !== 'AbortError') trouble.textContent = error.message;
    }
  }

  /** drawUnexpected lists the steps that the network expected least. */
  function drawUnexpected() {
    const list = frames.map((f, i) => ({ f, i })).filter(({ f }) => f.left > 0 && f.prior !== undefined && f.action !== endTurn)
      .sort((a, b) => a.f.prior - b.f.prior).slice(0, 5);
    replace(unexpected, list.length ? h('details', { class: 'card' }, h('summary', {}, 'The steps that it expected least'),
      h('div', { class: 'controls' }, list.map(({ f, i }) => h('button', { class: 'button small', type: 'button', onclick: () => { pause(); go(i); } }, `${f.label} ${f.text}, ${share(f.prior)}`)))) : null);
  }

  const valueOf = (f) => (mode === 'search' ? f.value : f.network);
  const isMixed = () => (mode === 'search' ? game.mixed : seenMixed);

  function turn(by) {
    if (by > 0) return go(starts.find((s) => s > at) ?? last);
    return go(starts.findLast((s) => s < at) ?? 0);
  }

  function start() {
    if (at >= last) at = played;
    playButton.textContent = 'Ⅱ';
    playButton.setAttribute('aria-label', 'Pause');
    timer = setInterval(() => (at >= last ? pause() : go(at + 1)), 650);
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    playButton.textContent = '▶';
    playButton.setAttribute('aria-label', 'Play');
  }

  function go(n) {
    const before = at;
    at = Math.max(0, Math.min(last, n));
    const f = frames[at];
    board.show(f ? f.board : game.final);
    const list = f ? (mode === 'search' ? shares(f.visits || []) : (f.priors || []).map(([action, p]) => ({ action, share: p, count: 0 }))) : [];
    const arrows = list.slice(0, 6).filter((v) => isStep(v.action)).map((v) => ({ from: fromOf(v.action), to: toOf(v.action), width: v.share, kind: f && v.action === f.action ? 'played' : '' }));
    if (f && isStep(f.action) && !arrows.some((a) => a.kind)) arrows.push({ from: fromOf(f.action), to: toOf(f.action), width: 0.2, kind: 'played' });
    board.arrows(arrows.reverse());
    if (f) {
      replace(line, h('b', {}, f.label), f.action === endTurn ? 'ends the turn' : `${f.left ? 'plays' : 'places'} ${f.text}`, pips(f.left));
    } else replace(line, h('b', {}, result(game.winner, game.reason)));
    showValue(f);
    replace(view, f ? seen(f, list, mode, isMixed()) : null);
    drawPlot();
    moves.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const current = stepButtons[at];
    if (current) {
      current.setAttribute('aria-current', 'step');
      const [top, height] = [current.offsetTop - moves.offsetTop, moves.clientHeight];
      if (top < moves.scrollTop || top > moves.scrollTop + height - 30) moves.scrollTop = top - height / 2;
    }
    if (at !== before) asked.moved();
    if (address) history.replaceState(null, '', address(at));
  }

  function drawPlot() {
    const curve = (title, of, color) => ({ title, color, dash: color - 1, points: frames.map((f, i) => ({ x: i, y: of(f) })).filter((p) => p.y !== undefined) });
    const curves = [curve('by the search', (f) => f.value, 1), curve('by the network alone', (f) => f.network, 2)].filter((c) => c.points.length);
    plotCard.hidden = curves.length === 0;
    const mixed = game.mixed || seenMixed;
    const words = mixed ? { title: 'Gold’s value', about: mixture } : { title: 'Gold’s chance to win', about: '' };
    plot.update({ ...plot.spec, ...words, curves, lines: [{ y: 0.5, title: '' }], low: 0, high: 1, format: (y) => worth(y, mixed), at, onSeek: (x) => { pause(); go(Math.round(x)); } });
  }

  function showValue(f) {
    const v = f && valueOf(f);
    bar.classList.toggle('none', v === undefined);
    if (v !== undefined) bar.firstChild.style.height = `${100 * v}%`;
    bar.setAttribute('aria-label', v === undefined ? 'No value' : chance(v, isMixed()));
  }

  const keys = (e) => {
    if (e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT|CANVAS)$/.test(e.target.tagName)) return;
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') {
      e.preventDefault();
      const by = e.key === 'ArrowRight' ? 1 : -1;
      pause();
      if (e.shiftKey) turn(by);
      else go(at + by);
    } else if (e.key === ' ' && !(e.target instanceof HTMLButtonElement)) {
      e.preventDefault();
      if (timer) pause();
      else start();
    }
  };
  document.addEventListener('keydown', keys);
  go(at);
  get('players').then(({ networks }) => drawModes(networks), () => drawModes([]));
  say(`${game.title}, ${last} steps`);
  return () => {
    pause();
    abort?.abort();
    plot.close();
    asked.close();
    document.removeEventListener('keydown', keys);
  };
}

/** share writes a probability. */
const share = (p) => (p < 0.01 ? `${(100 * p).toFixed(1)}%` : `${Math.round(100 * p)}%`);

/** pips shows the steps left in a turn. */
export function pips(left) {
  if (!left) return null;
  return h('span', { class: 'pips', role: 'img', 'aria-label': `${left} steps left` }, [0, 1, 2, 3].map((i) => h('i', { class: i < left ? 'left' : '' })));
}

/** seen shows what the search or the network thought of a position, and what was played. */
function seen(f, list, mode, mixed) {
  if (list.length === 0) return h('p', { class: 'muted' }, mode === 'search' ? 'Nothing was searched here.' : 'No network has been asked.');
  const searched = mode === 'search';
  const target = new Map((f.policy || []).map(([a, s]) => [a, s]));
  const visits = new Map(shares(f.visits || []).map((v) => [v.action, v.share]));
  const top = list.slice(0, 8);
  if (!top.some((v) => v.action === f.action)) top.push(list.find((v) => v.action === f.action) || { action: f.action, share: searched ? 0 : f.prior || 0, count: 0 });
  const more = (v) => (searched ? target.has(v.action) && `, target ${share(target.get(v.action))}` : visits.has(v.action) && `, visits ${share(visits.get(v.action))}`) || '';
  const value = searched ? f.value : f.network;
  return h('section', { class: 'card' },
    h('div', { class: 'spread' }, h('h2', {}, searched ? 'What the search saw' : 'What the network thought'),
      h('span', { class: 'muted number' }, value === undefined ? '' : chance(value, mixed))),
    h('p', { class: 'muted' }, searched ? `${list.reduce((s, v) => s + v.count, 0)} visits, ${f.full ? 'a full search' : 'a quick search'}. The share of visits:` : 'Its priors, and what was played:'),
    bars(top.map((v) => ({ what: actionName(v.action, f.board), share: v.share, played: v.action === f.action, text: share(v.share) + more(v) }))));
}

/** bars draws shares as bars with their numbers. */
export function bars(rows) {
  return h('div', { class: 'bars' }, rows.map((r) => {
    const fill = h('div');
    fill.style.width = `${100 * r.share}%`;
    return [h('span', { class: 'what' }, r.what, r.played ? h('span', { class: 'played-mark' }, 'played') : null),
      h('div', { class: 'track' + (r.played ? ' played' : ''), 'aria-hidden': 'true' }, fill), h('span', { class: 'number' }, r.text)];
  }));
}

/** adviceView shows what a search found. show, if given, draws its turn on the board. */
export function adviceView(a, show) {
  const most = a.steps.reduce((s, v) => s + v.visits, 0) || 1;
  return h('div', { class: 'advice' },
    h('p', {}, h('b', {}, a.text || 'end the turn'), a.wins ? ', which wins at once' : ''),
    h('p', { class: 'muted number' }, `${chance(a.value, a.mixed)}; before the search ${chance(a.network, a.mixed)}${a.mixed ? ` (${mixture})` : ''}`),
    bars(a.steps.slice(0, 6).map((s) => ({ what: s.text, share: s.visits / most, text: `${Math.round(100 * s.visits / most)}%, prior ${Math.round(100 * s.prior)}%` }))),
    a.line ? h('p', { class: 'muted' }, 'Expected: ', h('span', {}, a.line)) : null,
    show && a.turn.length ? h('button', { class: 'button small', type: 'button', onclick: () => show(a.turn) }, 'Show it on the board') : null);
}

/** asking is a form that has one network or two search the position shown. show draws a turn on the board. */
function asking(frames, at, missing, show) {
  const element = h('div');
  const results = h('div', { class: 'compare' });
  let abort = null;
  get('players').then(({ networks }) => {
    if (networks.length === 0) {
      replace(element, h('p', { class: 'muted' }, 'There is no network here to ask.'));
      return;
    }
    const choose = (name, title, other, chosen) => h('label', { class: 'field' }, title, h('select', { name },
      other ? h('option', { value: '' }, 'nobody') : null, networks.map((n) => h('option', { value: n.id, selected: n.id === chosen }, n.title))));
    const form = h('form', { class: 'row' },
      choose('first', 'Network', false, networks[0].id), choose('second', 'compared with', true, ''),
      h('label', { class: 'field' }, 'Visits', h('select', { name: 'visits' }, [50, 200, 1000, 4000].map((n) => h('option', { value: n, selected: n === 200 }, n)))),
      h('button', { class: 'button primary', type: 'submit' }, 'Ask'));
    form.addEventListener('submit', async (e) => {
      e.preventDefault();
      abort?.abort();
      abort = new AbortController();
      const { signal } = abort;
      const data = new FormData(form);
      const ids = [data.get('first'), data.get('second')].filter(Boolean);
      const actions = frames.slice(0, at()).map((f) => f.action);
      const boxes = ids.map((id) => h('div', {}, h('h3', {}, networks.find((n) => n.id === id).title), h('p', { class: 'muted' }, 'Thinking…')));
      replace(results, boxes);
      await Promise.all(ids.map(async (id, i) => {
        try {
          const a = await post('search', { actions, missing, network: id, visits: Number(data.get('visits')) }, signal);
          boxes[i].lastChild.replaceWith(adviceView(a, show));
        } catch (error) {
          if (error.name !== 'AbortError') boxes[i].lastChild.replaceWith(h('p', { class: 'problem' }, error.message));
        }
      }));
    });
    replace(element, form, results);
  }, () => replace(element));
  return {
    element,
    moved: () => { abort?.abort(); replace(results); },
    close: () => abort?.abort(),
  };
}
