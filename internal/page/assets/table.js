// A game against a player of the program. The program knows the rules: it says
// what can be played.

import { get, post } from './api.js';
import { Board, dragging } from './board.js';
import { captures } from './captured.js';
import { clockView } from './clock.js';
import { adviceView, pips } from './advice.js';
import { button, download, h, recall, redraw, remember, rememberHere, replace, say } from './dom.js';
import { evalbar } from './evalbar.js';
import { result } from './games.js';
import { Hand, own, placements } from './hand.js';
import { levelText, swappedSides } from './lobby.js';
import { at, endTurn, fromOf, isStep, numbered, put, square, stepsOf, toOf, turns, turnStarts } from './notation.js';
import { pieceImage } from './pieces.js';
import { fragment, linkTo, sharing } from './share.js';

/** swapped exchanges what stands on two squares. */
export function swapped(board, a, b) {
  const [x, y] = [at(board, a) || '.', at(board, b) || '.'];
  return put(put(board, a, y), b, x);
}

/** lastTurn returns the actions of the opponent's last turn, until the person has stepped. Setups have none. */
export function lastTurn({ moves, open, toMove, side, winner }) {
  const list = turns(moves);
  const last = list[list.length - 1];
  return last && open.length === 0 && (toMove === side || winner) ? stepsOf(last.text) : [];
}

/**
 * table shows a game in progress.
 * @param {{settings: any, arranged?: string, arrangement?: number}} kept what was kept of it
 * @param {{keep: (game: any) => void, leave: () => void, begin: (settings: any) => void}} on
 */
export function table(main, first, kept, on) {
  /** @type {any} */
  let state = first;
  let alive = true;
  let busy = null; // the AbortController of what is under way
  let { settings, arranged = null, arrangement = 0 } = kept; // arranged: the board of the setup as it was last arranged, and from which
  let lifted = -1; // the piece that is being moved in it
  let asks = recall('evaluation') === 'on';
  let turned = false; // whether the person has turned the board
  let past = null; // {turn, board, arrows}: an earlier turn that is looked at
  let record = null; // of the moves so far, as the program replays them

  const clock = clockView(() => {
    if (busy) return false;
    act('time');
    return true;
  });
  const board = new Board({ play: true, label: 'The board. Arrow keys move, Enter picks up and puts down.' });
  const bar = evalbar();
  const line = h('div', { class: 'turn-line', 'aria-live': 'polite' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const banner = h('div');
  const buttons = h('div', { class: 'controls' });
  const hint = h('div');
  const moves = h('ol', { class: 'moves', 'aria-label': 'Turns', tabIndex: 0 });
  const resign = button('Resign', () => { if (confirm('Resign this game?')) act('resign'); });
  const level = h('select', { name: 'strength', 'aria-label': 'Level of the opponent', hidden: true, onchange: () => change(level.value) });
  const title = h('h1', { class: 'visually-hidden' });
  const opponent = h('b');
  const present = h('span', { class: 'muted number' }); // level of an opponent that adapts
  const sides = (state.side === 'gold' ? ['silver', 'gold'] : ['gold', 'silver']).map((side) => ({ side, taken: captures(/** @type {'gold'|'silver'} */ (side)) }));
  const strips = h('div', { class: 'strips' }, sides.map(({ side, taken }) => h('div', { class: 'strip' }, pieceImage(side === 'gold' ? 'R' : 'r'),
    side === state.side ? h('b', {}, 'you') : [opponent, level, present], taken.element)));
  const share = sharing(async () => {
    const game = await replayed();
    const actions = game.frames.map((f) => f.action);
    return [[linkTo('this game', location.hostname), location.href.split('#')[0] + fragment({ actions, missing: game.missing }, actions.length)], ['Its moves, in Arimaa’s notation', state.moves]];
  });
  const hand = new Hand(board, {
    position: () => (!busy && !past && mine() && !state.setup ? state : null),
    play: (actions) => steps(actions),
    why: async (from, to) => (await post(`play/${state.id}/why`, { from, to })).text,
    draw: () => draw(),
    tell: (text) => { problem.textContent = text; },
  });
  // In the setup, a piece changes places with another.
  const drop = dragging(board, {
    lift: (n) => (arranging() ? lift(n) : hand.lift(n)),
    tap: (n) => (arranging() ? exchange(n) : hand.tap(n)),
    drop: (from, to) => (arranging() ? exchange(to) : hand.drop(from, to)),
  });

  main.classList.add('wide');
  replace(main, h('div', { class: 'desk' },
    h('div', { class: 'head stack tight' }, title, strips, clock.element, line),
    h('div', { class: 'with-bar board-frame' }, bar.element, board.element),
    h('div', { class: 'side stack' }, problem, banner, buttons, hint,
      h('details', { open: innerWidth > 640 }, h('summary', {}, 'The game so far'), moves),
      h('details', {}, h('summary', {}, 'More'), more()), share.element,
      h('p', { class: 'kbd-help' }, 'Tap or drag a piece. Keys: arrows, ', h('kbd', {}, 'Enter'), ' picks up and puts down, ', h('kbd', {}, 'E'), ' ends the turn, ',
        h('kbd', {}, 'U'), ' takes back, ', h('kbd', {}, 'H'), ' hint, ', h('kbd', {}, 'Esc'), ' lets go.'))));

  function more() {
    const letters = document.documentElement.classList.contains('letters');
    return h('div', { class: 'controls' },
      button('Save the game', () => download('game.txt', new Blob([state.moves], { type: 'text/plain' }))),
      button('Letters on the pieces', (e) => {
        const shown = document.documentElement.classList.toggle('letters');
        remember('letters', shown ? 'on' : null);
        e.currentTarget.setAttribute('aria-pressed', String(shown));
      }, { 'aria-pressed': String(letters) }),
      button('Turn the board', () => { turned = !turned; draw(); }),
      resign);
  }

  const mine = () => !state.winner && state.toMove === state.side;

  const theirs = () => !state.winner && state.toMove !== state.side;

  const arranging = () => mine() && state.setup && !busy && !past;

  /** begun is whether there is anything to take back. In the setup there is not: Gold's is not Silver's to take back. */
  const begun = () => !(mine() && state.setup) && (state.moves !== '' || state.open.length > 0);

  /** act does something at the board, and then lets the opponent play if it is its turn. */
  async function act(what, body) {
    if (busy) return false;
    busy = new AbortController();
    const { signal } = busy;
    problem.textContent = '';
    hint.replaceChildren();
    hand.clear();
    lifted = -1;
    draw();
    let done = false;
    try {
      take(await post(`play/${state.id}/${what}`, body, signal));
      done = true;
    } catch (error) {
      if (alive && error.name !== 'AbortError') {
        if (error.state) take(error.state);
        fail(error);
      }
    }
    busy = null;
    if (!alive) return done;
    draw();
    // Even if it was refused: another tab may have ended the turn, and been closed before the opponent had played.
    if (!signal.aborted) await follow(done && what === 'play');
    return done;
  }

  /** steps plays actions, if the board is still as it is shown: another tab may have continued with the game. */
  const steps = (actions) => act('play', { actions, board: state.board, left: state.left });

  function fail(error) {
    problem.textContent = error.status === 404 ? `${error.message}. Reload the page to set it up again.` : error.message;
  }

  /** take makes next the state, which the program sent at a time of performance.now, or just now. It says who has won, after told. */
  function take(next, when, told = '') {
    if (next.winner && !state.winner) say(told + result(next.winner, next.reason));
    if (next.moves !== state.moves) record = null;
    past = null;
    state = next;
    clock.update(state, when);
    keep();
    share.refresh();
  }

  function keep() {
    on.keep({ id: state.id, moves: state.moves, clock: state.clock, settings, opponent: state.opponent, winner: state.winner, reason: state.reason, arranged, arrangement });
  }

  /** replayed returns the moves so far, position by position. */
  async function replayed() {
    record ||= post('analyse', { moves: state.moves });
    try {
      return await record;
    } catch (error) {
      record = null;
      throw state.moves ? error : new Error('No turn has been played yet.');
    }
  }

  /** look shows the board after a turn of the game so far. */
  async function look(turn) {
    const asked = state.moves;
    try {
      const game = await replayed();
      if (!alive || asked !== state.moves) return;
      const starts = turnStarts(game.frames);
      const after = starts[turn + 1] ?? game.frames.length;
      hand.clear();
      past = { turn, board: after < game.frames.length ? game.frames[after].board : game.final, arrows: numbered(game.frames.slice(starts[turn] ?? after, after).map((f) => f.action), 'other') }; // a resignation has no frame
      draw();
      evaluate();
    } catch (error) {
      fail(error);
    }
  }

  /**
   * follow does what comes by itself: the opponent's turn or, after a step, the end of a
   * push that can end in one way only. The end of a push that was taken back does not come again.
   */
  async function follow(stepped) {
    if (stepped && mine() && state.pushed >= 0 && state.legal.length === 1) return void await steps(state.legal);
    if (theirs()) return void await reply();
    evaluate();
  }

  async function reply() {
    if (busy) return;
    busy = new AbortController();
    const { signal } = busy;
    draw();
    try {
      const next = await post(`play/${state.id}/reply`, {}, signal);
      if (!alive) return;
      // The person's time runs from here on, also while the opponent's steps are shown.
      const heard = performance.now();
      clock.update(next, heard);
      const still = matchMedia('(prefers-reduced-motion: reduce)').matches || next.setup || next.label === '2g';
      const wait = still ? 0 : next.clock ? 150 : 380;
      for (const f of next.played || []) {
        board.show(f.board);
        board.arrows(isStep(f.action) ? [{ from: fromOf(f.action), to: toOf(f.action), width: 0.3, kind: 'other' }] : []);
        if (wait) await new Promise((r) => setTimeout(r, wait));
        if (!alive) return;
      }
      const told = next.played ? `${next.opponent} played ${turns(next.moves).at(-1).text}. ` : ''; // it may have resigned, or lost on time
      take(next, heard, told);
      if (!next.winner) say(`${told}It is your turn.`);
      if (next.forfeit) problem.textContent = `${state.opponent} gave up: ${next.forfeit}`;
    } catch (error) {
      if (alive && error.name !== 'AbortError') {
        if (error.state) take(error.state);
        // It has played if another tab asked it, or if an earlier answer was lost.
        if (theirs()) {
          fail(error);
          replace(hint, button('Let the opponent try again', retry));
        }
      }
    }
    busy = null;
    if (!alive) return;
    draw();
    evaluate();
  }

  function retry() {
    problem.textContent = '';
    hint.replaceChildren();
    reply();
  }

  /** free ends what is under way, such as the opponent's thinking. */
  async function free() {
    busy?.abort();
    while (busy && alive) await new Promise((r) => setTimeout(r, 20));
  }

  /** undo takes back, even while the opponent thinks. */
  async function undo() {
    if (!begun()) return;
    await free();
    await act('undo');
  }

  /** change lets the opponent continue at another level, even while it thinks. */
  async function change(to) {
    await free();
    const before = settings;
    settings = { ...settings, level: to };
    if (!await act('level', { level: to })) settings = before;
    remember('settings', JSON.stringify(settings));
  }

  async function evaluate() {
    if (!asks || !state.advice || state.winner || state.setup || past) return bar.show();
    try {
      const { value, mixed } = await post(`play/${state.id}/evaluate`);
      if (alive && asks && !past) bar.show(value, mixed);
    } catch { /* the bar is not worth a message */ }
  }

  async function advise() {
    if (busy || !mine() || state.setup || past) return;
    busy = new AbortController();
    problem.textContent = '';
    replace(hint, h('p', { class: 'muted' }, 'Thinking…'));
    draw();
    try {
      const a = await post(`play/${state.id}/hint`, {}, busy.signal);
      if (!alive) return;
      replace(hint, h('section', { class: 'card' }, h('h2', {}, 'A hint'), adviceView(a)));
      board.arrows(a.turn.filter(isStep).map((s, i) => ({ from: fromOf(s), to: toOf(s), width: 0.5, label: String(i + 1) })));
      say(`Hint: ${a.text}`);
    } catch (error) {
      hint.replaceChildren();
      if (alive && error.name !== 'AbortError') {
        if (error.state) take(error.state);
        fail(error);
      }
    }
    busy = null;
    if (alive) draw(true);
  }

  /** draw shows the state. */
  function draw(keepArrows) {
    board.element.setAttribute('aria-busy', String(Boolean(busy)));
    bar.element.hidden = !asks || !state.advice;
    board.flip((state.side === 'silver') !== turned);
    const setup = mine() && state.setup;
    if (setup && !arranged) arranged = state.setups[arrangement % state.setups.length];
    if (setup) keep();
    const shown = past ? past.board : setup ? arranged : state.board;
    if (!busy || mine() || past) board.show(shown);
    const last = lastTurn(state);
    if (past) board.arrows(past.arrows);
    else if (!keepArrows && (mine() || state.winner)) board.arrows(hand.chosen >= 0 ? [] : numbered(last, 'other'));
    if (setup && !past) markSetup();
    else hand.mark(past ? [] : last.flatMap((a) => [fromOf(a), toOf(a)]));
    for (const { taken } of sides) taken.update(state.setup || past?.turn === 0 ? '' : state.pieces, shown); // only Gold stands there then
    drawLevel();
    drawLine(setup);
    drawButtons(setup);
    drawMoves();
    replace(banner, state.winner ? h('div', { class: 'banner' }, state.winner === state.side ? 'You won. ' : `${state.opponent} won. `, result(state.winner, state.reason), '.')
      : setup ? h('p', { class: 'muted' }, 'Swap two pieces by tapping both. New to Arimaa? ', h('a', { href: '#/rules' }, 'The rules take three minutes'), '; the board stays as it is.') : null);
  }

  function drawMoves() {
    const scrolled = past ? moves.scrollTop : null;
    redraw(moves, turns(state.moves).map((t, i) => h('li', {}, h('span', { class: 'label' }, t.label),
      h('button', { type: 'button', 'aria-current': past?.turn === i ? 'step' : undefined, onclick: () => look(i) }, t.label.startsWith('1') && t.text.length > 40 ? 'setup' : t.text))),
    state.open.length ? h('li', {}, h('span', { class: 'label' }, state.label), h('span', {}, state.open.join(' '), ' …')) : null);
    moves.scrollTop = scrolled ?? moves.scrollHeight;
  }

  function markSetup() {
    const all = own(arranged, state.side);
    board.mark({ can: all, chosen: lifted >= 0 ? [lifted] : [], full: lifted >= 0 ? [...all].filter((n) => n !== lifted) : [] });
    const words = new Map([...all].map((n) => [n, 'can be moved']));
    if (lifted >= 0) words.set(lifted, 'picked up');
    board.name(words);
  }

  const drawLevel = () => {
    title.textContent = `A game against ${state.opponent}`;
    opponent.textContent = state.level ? 'Level' : state.opponent;
    if (level.options.length) level.value = state.level;
    level.hidden = !state.level;
    present.textContent = state.present ? `now ${state.present}` : '';
  };

  /** tell replaces the line if it says something new, since it is read out. */
  function tell(...content) {
    const next = line.cloneNode();
    replace(next, content);
    if (!next.isEqualNode(line)) replace(line, ...next.childNodes);
  }

  function drawLine(setup) {
    const icon = pieceImage(state.toMove === 'gold' ? 'E' : 'e');
    if (past) {
      const back = button('Back to the game', now, { class: 'button small' });
      return tell(h('b', {}, `After ${turns(state.moves)[past.turn].label}`), back);
    }
    const who = state.winner ? 'The game is over' : setup ? 'Set up your pieces' : state.pushed >= 0 && mine() ? `Fill ${square(state.pushed)} to end the push`
      : hand.push ? 'Push it to which square?' : mine() ? 'Your turn' : `${state.opponent} ${busy ? 'is thinking…' : 'is to move'}`;
    tell(icon, h('b', {}, who), h('span', { class: 'muted' }, state.winner ? '' : `${state.label}, you are ${state.side}`), mine() && !setup ? pips(state.left) : null);
  }

  /** now ends the look at an earlier turn. */
  function now() {
    const looked = past;
    past = null;
    hand.clear();
    if (looked) { // draw leaves the board to the opponent's steps
      board.show(state.board);
      board.arrows([]);
    }
    draw();
    if (looked && !busy) evaluate();
  }

  function drawButtons(setup) {
    const list = [];
    if (setup) {
      list.push(button('Start', start, { class: 'button primary', disabled: Boolean(busy) }),
        button('Another setup', () => { arrangement++; arranged = state.setups[arrangement % state.setups.length]; lifted = -1; draw(); }));
    } else if (!state.winner) {
      list.push(button('End turn', endMyTurn, { class: 'button primary', disabled: Boolean(busy) || !mine() || Boolean(past) || !state.legal.includes(endTurn) }));
    }
    if (state.winner) {
      list.push(button('Analyse the game', analyse, { class: 'button primary' }));
      if (state.next) list.push(button(`Play level ${state.next}`, () => on.begin({ ...settings, level: state.next })));
      list.push(button('Rematch', () => on.begin(settings)), button('Swap sides', () => on.begin(swappedSides(settings))));
    }
    list.push(button('Take back', undo, { disabled: !begun() }));
    if (state.advice && !state.winner) {
      if (!setup) list.push(button('Hint', advise, { disabled: Boolean(busy) || !mine() || Boolean(past) }));
      list.push(button('Evaluation', () => { asks = !asks; remember('evaluation', asks ? 'on' : null); draw(); evaluate(); }, { 'aria-pressed': String(asks) }));
    }
    list.push(button('New game', leaveGame));
    redraw(buttons, list);
    resign.disabled = Boolean(busy) || !mine();
  }

  /** analyse shows the game to the network that played, or that gave hints. */
  function analyse() {
    rememberHere('pasted', state.moves);
    if (state.level || settings.adviser) remember('viewer', state.level ? settings.player : settings.adviser);
    location.hash = '#/analysis/now';
  }

  const start = () => act('setup', { pieces: placements(arranged, state.side) });
  const endMyTurn = () => { if (!busy && !past && mine() && state.legal.includes(endTurn)) steps([endTurn]); };
  const leaveGame = () => { if (state.winner || !begun() || confirm('Leave this game? It is not over, and will be lost.')) on.leave(); };

  /** lift picks up a piece of the setup. */
  function lift(n) {
    if (!own(arranged, state.side).has(n)) return false;
    lifted = n;
    draw();
    return true;
  }

  /** exchange picks up a piece of the setup, or lets it change places with the one that was picked up. */
  function exchange(n) {
    const all = own(arranged, state.side);
    if (lifted >= 0 && n !== lifted && all.has(n)) arranged = swapped(arranged, lifted, n);
    lifted = lifted < 0 && all.has(n) ? n : -1;
    draw();
  }

  const keys = (e) => {
    if (e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
    if (e.repeat) return; // a key that is held down would take back the whole game
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const f = { e: endMyTurn, u: undo, h: state.advice ? advise : null, Escape: () => { lifted = -1; now(); } }[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (f) { e.preventDefault(); f(); }
  };
  document.addEventListener('keydown', keys);

  get('players').then(({ levels }) => {
    replace(level, levels.map((l) => h('option', { value: l.id }, levelText(l))));
    drawLevel();
  }, fail);
  take(state);
  draw();
  follow();
  return () => {
    alive = false;
    main.classList.remove('wide');
    clock.close();
    drop();
    busy?.abort();
    document.removeEventListener('keydown', keys);
  };
}
