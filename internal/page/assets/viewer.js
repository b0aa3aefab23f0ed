// One game, step by step and turn by turn, with what the search saw, what a network thinks, and
// variations that are tried out on the board.

import { get, post } from './api.js';
import { asking, pips, seen, share } from './advice.js';
import { Board, dragging } from './board.js';
import { captures } from './captured.js';
import { button, h, recall, redraw, remember, replace, say } from './dom.js';
import { evalbar } from './evalbar.js';
import { result } from './games.js';
import { Hand } from './hand.js';
import { counted, endTurn, fromOf, isStep, mixture, numbered, piecesOn, positionText, shares, toOf, turnStarts, worth } from './notation.js';
import { branch, extended, follows, mainPath, request, textOf } from './path.js';
import { pieceImage } from './pieces.js';
import { Plot } from './plot.js';
import { review } from './review.js';
import { fragment, linkTo, sharing } from './share.js';

/**
 * viewer shows a game that the program has sent.
 * @param {{address?: (game: any, n: number) => string, first?: number, back: string, analyse?: boolean}} options
 */
export function viewer(main, game, { address, first, back, analyse }) {
  const own = mainPath(game);
  const frames = game.frames; // the game's own
  const starts = turnStarts(frames);
  const begun = starts.find((s) => frames[s].left > 0) ?? frames.length; // after the setups
  const full = piecesOn(frames[begun]?.board ?? game.final);
  const searched = frames.some((f) => f.visits);
  let path = own;
  let tried = []; // variations that were left
  let unfolded = true; // whether they are shown
  let at = Math.min(frames.length, first ?? begun);
  let written = location.hash; // the address of this game
  let position = null; // at the step that is shown, with what can be played; null until the program has said it
  let playing = null; // the AbortController of a step that is being made
  let waits = null; // timer until the position is asked for
  let timer = null; // of the replay
  let mode = searched && recall('view') !== 'network' ? 'search' : 'network';
  let abort = null; // of the network's view that is being fetched
  let seenBy = ''; // the network whose view the frames have
  let seenMixed = false; // whether its values are not chances to win
  let alive = true;
  /** @type {ReturnType<typeof review>|null} */
  let reviewed = null;

  const board = new Board({ play: true, replay: true, label: 'The board. A step that is made here begins a variation.' });
  const bar = evalbar();
  const line = h('p', { class: 'turn-line', 'aria-live': 'polite' });
  const view = h('div', { class: 'stack' });
  const modes = h('div', { class: 'row' });
  const trouble = h('p', { class: 'problem', role: 'alert' });
  const unexpected = h('div');
  const variation = h('div');
  const reviewBox = h('div');
  const moves = h('ol', { class: 'moves', 'aria-label': 'Turns', tabIndex: 0 });
  const taken = ['gold', 'silver'].map((side) => captures(/** @type {'gold'|'silver'} */ (side)));
  const strips = h('div', { class: 'strips' }, taken.map((t, i) => h('div', { class: 'strip' }, pieceImage('Rr'[i]), h('b', {}, ['Gold', 'Silver'][i]), t.element)));
  const walks = (text, name, f) => button(text, () => { pause(); f(); }, { 'aria-label': name, title: name });
  const playButton = button('▶', () => (timer ? pause() : start()), { class: 'button primary', 'aria-label': 'Play' });
  const controls = h('div', { class: 'steps-bar', role: 'group', 'aria-label': 'Replay' },
    walks('|‹', 'To the beginning', () => go(0)), walks('«', 'A turn back', () => turn(-1)), walks('‹', 'A step back', () => go(at - 1)), playButton,
    walks('›', 'A step on', () => go(at + 1)), walks('»', 'A turn on', () => turn(1)), walks('›|', 'To the end', () => go(path.frames.length)));
  const plot = new Plot({ title: '', xTitle: 'step', curves: [], plain: true });
  plot.canvas.style.height = '150px';
  const plotCard = h('div', { class: 'card' }, plot.element);
  const players = get('players');
  const question = asking(players, () => request(game, path, at), (a) => open(branch(path, at, a.frames, a.final, 'What the network expects'), at));
  const hand = new Hand(board, {
    position: () => (playing ? null : position), play, draw: () => hand.mark(), tell: (text) => { trouble.textContent = text; },
    why: async (from, to) => (await post('why', { ...request(game, path, at), from, to })).text,
  });
  const drop = dragging(board, hand);
  const link = sharing(async () => {
    const f = path.frames[at];
    const texts = [[linkTo('this position', location.hostname), location.href.split('#')[0] + fragment({ ...game, actions: path.frames.map((x) => x.action) }, at)]];
    const { left, side } = f || { left: position?.left, side: position?.toMove }; // after the last step, the program says both
    if (left === 4 && at >= begun) texts.push(['This position, in short notation', positionText(f ? f.board : path.final, side)]);
    if (path === own && game.moves) texts.push(['The game’s moves, in Arimaa’s notation', game.moves]);
    return texts;
  });

  main.classList.add('wide');
  replace(main, h('div', { class: 'desk' },
    h('div', { class: 'head stack tight' },
      h('div', { class: 'spread' }, h('h1', {}, game.title), back ? h('a', { href: back }, 'Back to the list') : null),
      frames.length ? h('p', { class: 'muted' }, `${result(game.winner, game.reason)} after ${counted(game.turns, 'turn')}`, game.generation >= 0 ? `, played by generation ${game.generation}` : '', game.opening > 0 ? `; its first ${game.opening === 1 ? 'turn was' : `${game.opening} turns were`} an opening` : '', game.missing?.length ? `; ${counted(game.missing.length, 'piece')} ${game.missing.length === 1 ? 'was' : 'were'} missing from its first turn on` : '', '.') : null,
      game.problem ? h('p', { class: 'problem', role: 'alert' }, `The text ends with a mistake: ${game.problem}. The game is shown up to there.`) : null,
      strips, line),
    h('div', { class: 'with-bar board-frame' }, bar.element, board.element),
    h('div', { class: 'side stack' }, controls, trouble, variation, plotCard, reviewBox,
      h('details', { open: innerWidth > 640 }, h('summary', {}, 'All turns'), moves),
      modes, view, unexpected,
      h('details', { class: 'card' }, h('summary', {}, 'Search this position with one network or two'), question.element), link.element,
      h('p', { class: 'kbd-help' }, 'Move a piece to try a variation. Keys: ', h('kbd', {}, '←'), ' ', h('kbd', {}, '→'), ' step, with ', h('kbd', {}, 'Shift'), ' turn, ', h('kbd', {}, 'Space'), ' plays, ', h('kbd', {}, 'E'), ' ends the turn, ', h('kbd', {}, 'Esc'), ' leaves the variation'))));

  const turns = starts.map((s, t) => ({ start: s, end: starts[t + 1] ?? frames.length })).filter(({ start: s }) => frames[s].left > 0)
    .map((t) => ({ ...t, side: frames[t.start].side, label: frames[t.start].label, text: frames.slice(t.start, t.end).map((f) => f.text).join(' ').trim() }));

  const stepButtons = [];
  const losses = new Map(); // by the start of a turn
  starts.forEach((s, t) => {
    const until = starts[t + 1] ?? frames.length;
    const setup = frames[s].left === 0;
    losses.set(s, h('span', { class: 'loss number' }));
    moves.append(h('li', {}, h('span', { class: 'label' }, frames[s].label), h('span', {}, setup
      ? (stepButtons[s] = h('button', { type: 'button', onclick: () => { pause(); walk(own, until); } }, 'setup'))
      : frames.slice(s, until).map((f, i) => f.action === endTurn ? null : (stepButtons[s + i] = h('button', { type: 'button', onclick: () => { pause(); walk(own, s + i); } }, f.text)))), losses.get(s)));
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
    select.addEventListener('change', () => { remember('viewer', select.value); show(mode); });
    if (networks.length && turns.length) {
      reviewed = review({ game, own, turns, networks, first: chosen, go: (n) => { pause(); walk(own, n); }, open, changed: () => { drawLosses(); drawPlot(); } });
      replace(reviewBox, reviewed.element);
    }
    replace(modes, searched && networks.length ? segments : null, networks.length && frames.length ? field : null);
    show(networks.length ? mode : 'search');
    if (analyse) reviewed?.run();
  }

  /** look fetches what a network thinks of every position, without a search, and forgets what another one thought. */
  async function look(id) {
    abort?.abort();
    if (!id || id === seenBy || !frames.length) return;
    abort = new AbortController();
    [seenBy, seenMixed] = ['', false];
    for (const f of frames) f.network = f.priors = f.prior = undefined;
    drawUnexpected();
    try {
      const found = await post('analyse', { ...request(game, own, frames.length), network: id }, abort.signal);
      found.frames.forEach((f, i) => { frames[i].network = f.network; frames[i].priors = f.priors; frames[i].prior = f.prior; });
      [seenBy, seenMixed] = [id, found.mixed];
      drawUnexpected();
      go(at);
    } catch (error) {
      if (error.name !== 'AbortError') replace(unexpected, h('p', { class: 'problem', role: 'alert' }, error.message), button('Ask it again', () => look(id)));
    }
  }

  /** drawUnexpected lists the steps that the network expected least. */
  function drawUnexpected() {
    const list = frames.map((f, i) => ({ f, i })).filter(({ f }) => f.left > 0 && f.prior !== undefined && f.action !== endTurn)
      .sort((a, b) => a.f.prior - b.f.prior).slice(0, 5);
    replace(unexpected, list.length ? h('details', { class: 'card' }, h('summary', {}, 'The steps that it expected least'),
      h('div', { class: 'controls' }, list.map(({ f, i }) => button(`${f.label} ${f.text}, ${share(f.prior)}`, () => { pause(); walk(own, i); }, { class: 'button small' })))) : null);
  }

  const valueOf = (f) => (mode === 'search' ? f.value : f.network);
  const isMixed = () => (mode === 'search' ? game.mixed : seenMixed);

  function turn(by) {
    const places = turnStarts(path.frames);
    if (by > 0) return go(places.find((s) => s > at) ?? path.frames.length);
    return go(places.findLast((s) => s < at) ?? 0);
  }

  function start() {
    if (at >= path.frames.length) at = path.from === Infinity ? begun : path.from;
    playButton.textContent = 'Ⅱ';
    playButton.setAttribute('aria-label', 'Pause');
    timer = setInterval(() => (at >= path.frames.length ? pause() : go(at + 1)), 650);
  }

  function pause() {
    const ran = timer !== null;
    clearInterval(timer);
    timer = null;
    if (ran && alive) find();
    playButton.textContent = '▶';
    playButton.setAttribute('aria-label', 'Play');
  }

  /** open shows a variation from one of its steps on. */
  function open(next, n) {
    pause();
    walk(next, n);
    board.element.scrollIntoView({ block: 'nearest' });
  }

  /** walk shows a step of a path. A variation that is left for the game is kept, to come back to. */
  function walk(next, n) {
    if (path !== own && next !== path && !follows(next, path.from, path.frames.slice(path.from).map((f) => f.action))) {
      tried = [path, ...tried.filter((p) => p !== path && p !== next)].slice(0, 8);
    }
    if (next !== path && !(n === at && follows(next, 0, path.frames.slice(0, at).map((f) => f.action)))) question.moved();
    path = next;
    go(n);
  }

  /** leave returns from a variation to the game, where it was left. */
  const leave = () => { if (path !== own) walk(own, Math.min(path.from, frames.length)); };

  /** play makes actions on the board: a variation, unless the path continues so anyway. */
  async function play(actions) {
    pause();
    if (follows(path, at, actions)) return go(at + actions.length);
    const [here, from] = [at, path];
    playing = new AbortController();
    try {
      const made = await extended(game, path, at, position, actions, playing.signal);
      playing = null;
      if (!alive) return;
      if (here !== at || from !== path) return hand.mark(); // the visitor has gone on meanwhile
      walk(made.path, at + actions.length);
      position = made.position;
      hand.mark();
      drawVariation();
      link.refresh();
    } catch (error) {
      playing = null;
      if (alive && error.name !== 'AbortError') trouble.textContent = error.message;
    }
  }

  /** place writes the step that is shown into the address, unless the browser has gone to another one, of which the page hears later. */
  function place() {
    if (!address || path !== own || location.hash !== written) return;
    history.replaceState(null, '', address(game, at));
    written = location.hash;
  }

  /**
   * find asks what can be played at the step that is shown, and writes the step into the address, unless the
   * visitor only passes by: browsers refuse to change the address as often as a key that is held down repeats.
   */
  function find() {
    clearTimeout(waits);
    position = null;
    if (timer) return place();
    const [here, from] = [at, path];
    waits = setTimeout(async () => {
      place();
      if (here < begun) return;
      try {
        const found = await post('position', request(game, from, here));
        if (!alive || here !== at || from !== path) return;
        position = found;
        hand.mark();
        drawVariation();
        if (!from.frames[here]) link.refresh(); // it needs the position there
      } catch (error) {
        if (alive && here === at && from === path) trouble.textContent = error.message; // no variation can begin here
      }
    }, 120);
  }

  function go(n) {
    const before = at;
    at = Math.max(0, Math.min(path.frames.length, n));
    const f = path.frames[at];
    hand.clear();
    trouble.textContent = '';
    board.show(f ? f.board : path.final);
    const list = f ? (mode === 'search' ? shares(f.visits || []) : (f.priors || []).map(([action, p]) => ({ action, share: p, count: 0 }))) : [];
    const arrows = list.slice(0, 6).filter((v) => isStep(v.action)).map((v) => ({ from: fromOf(v.action), to: toOf(v.action), width: v.share, kind: f && v.action === f.action ? 'played' : '' }));
    if (f && isStep(f.action) && !arrows.some((a) => a.kind)) arrows.push({ from: fromOf(f.action), to: toOf(f.action), width: 0.2, kind: 'played' });
    board.arrows(f ? arrows.reverse() : numbered(lastTurn(), 'played'));
    taken.forEach((t) => t.update(at < begun ? '' : full, f ? f.board : path.final));
    if (f) {
      replace(line, h('b', {}, f.label), f.action === endTurn ? 'ends the turn' : `${f.left ? 'plays' : 'places'} ${f.text}`, pips(f.left));
    } else if (path !== own) replace(line, h('b', {}, 'The variation ends here'), h('span', { class: 'muted' }, 'Move a piece to continue it.'));
    else replace(line, h('b', {}, frames.length ? result(game.winner, game.reason) : `${game.finalLabel.endsWith('s') ? 'Silver' : 'Gold'} to move`));
    const v = f && valueOf(f);
    bar.show(v ?? undefined, isMixed());
    replace(view, f && (f.visits || f.priors) ? seen(f, list, mode, isMixed()) : null);
    find();
    hand.mark();
    drawVariation();
    drawPlot();
    markTurn();
    reviewed?.moved(path === own || at <= path.from ? at : path.from);
    if (at !== before) question.moved();
    link.refresh();
  }

  /** lastTurn returns the actions of the turn before the step that is shown. */
  function lastTurn() {
    const begins = turnStarts(path.frames).findLast((s) => s < at) ?? 0;
    return path.frames.slice(begins, at).filter((f) => f.left > 0).map((f) => f.action);
  }

  function markTurn() {
    moves.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const current = path === own || at < path.from ? stepButtons[at] : undefined;
    if (!current) return;
    current.setAttribute('aria-current', 'step');
    const [top, height] = [current.offsetTop - moves.offsetTop, moves.clientHeight];
    if (top < moves.scrollTop || top > moves.scrollTop + height - 30) moves.scrollTop = top - height / 2;
  }

  /** drawVariation shows the variation that is tried, those that were, and the end of a turn. */
  function drawVariation() {
    const b = (text, f, props) => button(text, () => { pause(); f(); }, { class: 'button small', ...props });
    const ends = b('End turn', () => play([endTurn]), { disabled: !(position?.legal.includes(endTurn) && position.left < 4) });
    if (path === own && tried.length === 0) return redraw(variation, h('div', { class: 'controls' }, ends)); // always, so that nothing below moves
    redraw(variation, h('section', { class: 'card stack tight', 'aria-label': 'Variations' },
      path === own ? null : [h('div', { class: 'spread' }, h('h2', {}, path.title), b('Back to the game', leave)), h('p', { class: 'variation' }, textOf(path))],
      h('div', { class: 'controls' }, ends, path === own ? null : b('A step back', () => go(at - 1), { disabled: at <= path.from })),
      tried.length ? h('details', { open: unfolded, ontoggle: (e) => { unfolded = e.target.open; } },
        h('summary', {}, `Tried before: ${tried.length}`), tried.map((p) => h('div', {}, b(textOf(p).slice(0, 60), () => walk(p, p.from + 1))))) : null));
  }

  function drawLosses() {
    for (const [s, element] of losses) {
      const j = reviewed?.judgement(s);
      element.textContent = j && j.loss >= 0.005 ? `${j.grade ? `${j.grade.mark} ` : ''}−${worth(j.loss, reviewed?.mixed())}` : '';
      element.className = `loss number${j?.grade ? ' graded' : ''}`;
    }
  }

  function drawPlot() {
    const curve = (title, points, color) => ({ title, color, dash: color - 1, points });
    const valued = (of) => frames.map((f, i) => ({ x: i, y: of(f) })).filter((p) => p.y !== undefined);
    const curves = [curve('by the search', valued((f) => f.value), 1), curve('by the network alone', valued((f) => f.network), 2), curve('by the analysis', reviewed?.points() || [], 3)].filter((c) => c.points.length);
    plotCard.hidden = curves.length === 0;
    const mixed = game.mixed || seenMixed;
    const words = mixed ? { title: 'Gold’s value', about: mixture } : { title: 'Gold’s chance to win', about: '' };
    plot.update({ ...plot.spec, ...words, curves, marks: reviewed?.marks() || [], lines: [{ y: 0.5, title: '' }], low: 0, high: 1, format: (y) => worth(y, mixed),
      at: Math.min(at, path.from), onSeek: (x) => { pause(); walk(own, Math.round(x)); } });
  }

  const keys = (e) => {
    if (e.defaultPrevented || e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT|CANVAS)$/.test(e.target.tagName)) return;
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (by) {
      e.preventDefault();
      pause();
      if (e.shiftKey) turn(by);
      else go(at + by);
    } else if (e.key === ' ' && !(e.target instanceof Element && e.target.closest('a, button, summary'))) {
      e.preventDefault();
      if (timer) pause();
      else start();
    } else if (e.key === 'Escape') {
      if (hand.chosen >= 0) hand.letGo();
      else leave();
    } else if (e.key.toLowerCase() === 'e' && position?.legal.includes(endTurn) && position.left < 4) play([endTurn]);
  };
  document.addEventListener('keydown', keys);
  go(at);
  players.then(({ networks }) => alive && drawModes(networks), () => alive && drawModes([]));
  say(`${game.title}, ${counted(frames.length, 'step')}`);
  return () => {
    alive = false;
    main.classList.remove('wide');
    pause();
    clearTimeout(waits);
    abort?.abort();
    playing?.abort();
    drop();
    plot.close();
    question.close();
    reviewed?.close();
    document.removeEventListener('keydown', keys);
  };
}
