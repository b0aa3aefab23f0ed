// One game, step by step and turn by turn, with what the search saw.

import { get, post } from './api.js';
import { Board } from './board.js';
import { h, recall, replace, say } from './dom.js';
import { result } from './games.js';
import { actionName, chance, endTurn, fromOf, isStep, shares, toOf } from './notation.js';
import { Plot } from './plot.js';

/** replay shows a stored game: #/game/RUN/NUMBER/STEP. */
export function replay(main, [run, number, step]) {
  return viewed(main, get(`runs/${Number(run)}/games/${encodeURIComponent(number)}`), (n) => `#/game/${run}/${number}/${n}`, Number(step) || undefined, run);
}

/** analysis shows the game that was pasted, as a network sees it. */
export function analysis(main) {
  let end = () => {};
  let alive = true;
  (async () => {
    const { networks } = await get('players').catch(() => ({ networks: [] }));
    if (!alive) return;
    end = viewed(main, post('analyse', { moves: recall('pasted') || '', network: networks.length ? networks[0].id : '' }), null, 0, null);
  })();
  return () => { alive = false; end(); };
}

/** ends returns the indices of the frames that begin a turn, and the end. */
export function turnStarts(frames) {
  const starts = [];
  frames.forEach((f, i) => { if (i === 0 || f.label !== frames[i - 1].label) starts.push(i); });
  return starts;
}

function viewed(main, promise, address, first, run) {
  let alive = true;
  let end = () => {};
  replace(main, h('p', { class: 'muted' }, 'Fetching the game…'));
  promise.then((game) => { if (alive) end = viewer(main, game, address, first, run); }, (error) => {
    if (alive) replace(main, h('h1', {}, 'This game cannot be shown'), h('p', { class: 'problem', role: 'alert' }, error.message), h('p', {}, h('a', { href: '#/games' }, 'Back to the games')));
  });
  return () => { alive = false; end(); };
}

function viewer(main, game, address, first, run) {
  const frames = game.frames;
  const starts = turnStarts(frames);
  const last = frames.length;
  const played = starts[2] ?? last; // after the setups
  let at = Math.min(last, first ?? played);
  let timer = null;

  const board = new Board({ label: 'The board' });
  const bar = h('div', { class: 'evalbar none', role: 'img' }, h('div'));
  const line = h('p', { class: 'turn-line', 'aria-live': 'polite' });
  const view = h('div', { class: 'stack' });
  const moves = h('ol', { class: 'moves', 'aria-label': 'Turns' });
  const button = (text, name, f) => h('button', { class: 'button', type: 'button', 'aria-label': name, title: name, onclick: () => { pause(); f(); } }, text);
  const playButton = h('button', { class: 'button primary', type: 'button', 'aria-label': 'Play', onclick: () => (timer ? pause() : start()) }, '▶');
  const controls = h('div', { class: 'steps-bar', role: 'group', 'aria-label': 'Replay' },
    button('|‹', 'To the beginning', () => go(0)), button('«', 'A turn back', () => turn(-1)), button('‹', 'A step back', () => go(at - 1)), playButton,
    button('›', 'A step on', () => go(at + 1)), button('»', 'A turn on', () => turn(1)), button('›|', 'To the end', () => go(last)));
  const values = frames.map((f, i) => ({ x: i, y: f.value })).filter((p) => p.y !== undefined);
  const plot = new Plot({ title: 'Gold’s chance to win', xTitle: 'step', curves: [], plain: true });
  plot.canvas.style.height = '130px';
  const asked = asking(frames, () => at);

  replace(main,
    h('div', { class: 'spread' }, h('h1', {}, game.title), h('a', { href: '#/games' }, 'All games')),
    h('p', { class: 'muted' }, `${result(game.winner, game.reason)} after ${game.turns} turns`, game.generation >= 0 ? `, played by generation ${game.generation}` : '', game.opening > 0 ? `; its first ${game.opening} turns were random` : '', '.'),
    game.problem ? h('p', { class: 'problem', role: 'alert' }, `The text ends with a mistake: ${game.problem}. The game is shown up to there.`) : null,
    h('div', { class: 'desk bleed' },
      h('div', { class: 'stack' }, line, h('div', { class: 'with-bar board-frame' }, bar, board.element), controls,
        h('p', { class: 'kbd-help' }, h('kbd', {}, '←'), ' ', h('kbd', {}, '→'), ' step, with ', h('kbd', {}, 'Shift'), ' turn, ', h('kbd', {}, 'Space'), ' plays')),
      h('div', { class: 'stack' }, values.length ? h('div', { class: 'card' }, plot.element) : null, view, h('details', { class: 'card', open: !values.length }, h('summary', {}, 'Ask a network about this position'), asked.element),
        h('details', { open: innerWidth > 860 }, h('summary', {}, 'All turns'), moves))));

  const stepButtons = [];
  starts.forEach((s, t) => {
    const until = starts[t + 1] ?? last;
    const setup = frames[s].left === 0;
    moves.append(h('li', {}, h('span', { class: 'label' }, frames[s].label), h('span', {}, setup
      ? (stepButtons[s] = h('button', { type: 'button', onclick: () => { pause(); go(until); } }, 'setup'))
      : frames.slice(s, until).map((f, i) => f.action === endTurn ? null : (stepButtons[s + i] = h('button', { type: 'button', onclick: () => { pause(); go(s + i); } }, f.text))))));
  });

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
    at = Math.max(0, Math.min(last, n));
    const f = frames[at];
    board.show(f ? f.board : game.final);
    const list = f ? shares(f.visits || f.priors || []) : [];
    const arrows = list.slice(0, 6).filter((v) => isStep(v.action)).map((v) => ({ from: fromOf(v.action), to: toOf(v.action), width: v.share, kind: f && v.action === f.action ? 'played' : '' }));
    if (f && isStep(f.action) && !arrows.some((a) => a.kind)) arrows.push({ from: fromOf(f.action), to: toOf(f.action), width: 0.2, kind: 'played' });
    board.arrows(arrows.reverse());
    if (f) {
      replace(line, h('b', {}, f.label), f.action === endTurn ? 'ends the turn' : `${f.left ? 'plays' : 'places'} ${f.text}`, pips(f.left));
    } else replace(line, h('b', {}, result(game.winner, game.reason)));
    showValue(f);
    replace(view, f ? seen(f, list) : null);
    plot.update({ ...plot.spec, curves: [{ title: 'gold', points: values, color: 1 }], lines: [{ y: 0.5, title: '' }], low: 0, high: 1, format: (y) => `${Math.round(100 * y)}%`, at, onSeek: (x) => { pause(); go(Math.round(x)); } });
    moves.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const current = stepButtons[at];
    if (current) {
      current.setAttribute('aria-current', 'step');
      const [top, height] = [current.offsetTop - moves.offsetTop, moves.clientHeight];
      if (top < moves.scrollTop || top > moves.scrollTop + height - 30) moves.scrollTop = top - height / 2;
    }
    asked.moved();
    if (address) history.replaceState(null, '', address(at));
  }

  function showValue(f) {
    const v = f && f.value;
    bar.classList.toggle('none', v === undefined);
    if (v !== undefined) bar.firstChild.style.height = `${100 * v}%`;
    bar.setAttribute('aria-label', v === undefined ? 'No value' : chance(v));
  }

  const keys = (e) => {
    if (e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT|CANVAS)$/.test(e.target.tagName)) return;
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') {
      e.preventDefault();
      pause();
      const by = e.key === 'ArrowRight' ? 1 : -1;
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
  say(`${game.title}, ${last} steps`);
  return () => {
    pause();
    plot.close();
    asked.close();
    document.removeEventListener('keydown', keys);
  };
}

/** pips shows the steps left in a turn. */
export function pips(left) {
  if (!left) return null;
  return h('span', { class: 'pips', role: 'img', 'aria-label': `${left} steps left` }, [0, 1, 2, 3].map((i) => h('i', { class: i < left ? 'left' : '' })));
}

/** seen shows what the search or the network thought of a position. */
function seen(f, list) {
  if (list.length === 0) return h('p', { class: 'muted' }, 'Nothing was searched here.');
  const searched = Boolean(f.visits);
  const target = new Map((f.policy || []).map(([a, s]) => [a, s]));
  const top = list.slice(0, 8);
  if (!top.some((v) => v.action === f.action)) top.push(list.find((v) => v.action === f.action) || { action: f.action, share: 0, count: 0 });
  return h('section', { class: 'card' },
    h('div', { class: 'spread' }, h('h2', {}, searched ? 'What the search saw' : 'What the network sees'),
      h('span', { class: 'muted number' }, f.value === undefined ? '' : chance(f.value))),
    h('p', { class: 'muted' }, searched ? `${list.reduce((s, v) => s + v.count, 0)} visits, ${f.full ? 'a full search' : 'a quick search'}. The share of visits:` : 'The likeliest steps before any search:'),
    bars(top.map((v) => ({ what: actionName(v.action, f.board), share: v.share, played: v.action === f.action,
      text: `${Math.round(100 * v.share)}%${target.has(v.action) ? `, target ${Math.round(100 * target.get(v.action))}%` : ''}` }))));
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

/** adviceView shows what a search found. */
export function adviceView(a) {
  const most = a.steps.reduce((s, v) => s + v.visits, 0) || 1;
  return h('div', { class: 'advice' },
    h('p', {}, h('b', {}, a.text || 'end the turn'), a.wins ? ', which wins at once' : ''),
    h('p', { class: 'muted number' }, `${chance(a.value)}; before the search ${chance(a.network)}`),
    bars(a.steps.slice(0, 6).map((s) => ({ what: s.text, share: s.visits / most, text: `${Math.round(100 * s.visits / most)}%, prior ${Math.round(100 * s.prior)}%` }))),
    a.line ? h('p', { class: 'muted' }, 'Expected: ', h('span', {}, a.line)) : null);
}

/** asking is a form that asks one network or two about the position shown. */
function asking(frames, at) {
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
      choose('first', 'Network', false, networks[0].id), choose('second', 'and beside it', true, ''),
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
          const a = await post('search', { actions, network: id, visits: Number(data.get('visits')) }, signal);
          boxes[i].lastChild.replaceWith(adviceView(a));
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
