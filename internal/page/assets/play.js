// A game against a player of the program. The program knows the rules: it says
// what can be played, and this file lets a person say it by tap, drag or keys.

import { get, post } from './api.js';
import { Board, dragging } from './board.js';
import { clockView, controls } from './clock.js';
import { download, h, recall, recallObject, remember, replace, say } from './dom.js';
import { result } from './games.js';
import { at, chance, endTurn, fromOf, isGold, isStep, mixture, placements, put, square, toOf, turns } from './notation.js';
import { pieceImage } from './pieces.js';
import { adviceView, pips } from './replay.js';
import { beginning, picture } from './rules.js';

/** choices are what a tap or a drag from a square can reach: square to ways, each way a list of actions. */
export function choices(state, from) {
  const ways = new Map();
  for (const a of state.legal) if (isStep(a) && fromOf(a) === from) ways.set(toOf(a), { kind: 'step', ways: [[a]] });
  for (const [key, way] of Object.entries(state.slides)) {
    const [f, t] = key.split('-').map(Number);
    if (f === from && !ways.has(t)) ways.set(t, { kind: 'slide', ways: [way] });
  }
  for (const [key, list] of Object.entries(state.pushes)) {
    const [f, t] = key.split('-').map(Number);
    if (f === from && !ways.has(t)) ways.set(t, { kind: 'push', ways: list });
  }
  return ways;
}

/** startOf lists the squares that something can be done with. */
export function startOf(state) {
  const from = new Set(state.legal.filter(isStep).map(fromOf));
  for (const key of Object.keys(state.pushes)) from.add(Number(key.split('-')[0]));
  return from;
}

/** swapped exchanges what stands on two squares. */
export function swapped(board, a, b) {
  const [x, y] = [at(board, a) || '.', at(board, b) || '.'];
  return put(put(board, a, y), b, x);
}

/** handicaps are the pieces that a side can play without. */
const handicaps = [['r', 'a rabbit'], ['c', 'a cat'], ['d', 'a dog'], ['h', 'a horse'], ['m', 'the camel'], ['mh', 'the camel and a horse'], ['e', 'the elephant']];

/** keepGame keeps a game for when the page is loaded again: in this tab, which may have another game than the others, and for the next new tab. */
function keepGame(game) {
  remember('game', JSON.stringify(game), 'sessionStorage');
  remember('game', JSON.stringify(game));
}

/** keptGame returns the game of this tab, or else the last one of any tab, or an empty object. */
function keptGame() {
  return recallObject('game', recall('game', 'sessionStorage') ? 'sessionStorage' : 'localStorage');
}

/** forgetGame forgets this tab's game. The tab has none then, and not that of another tab. */
function forgetGame(id) {
  remember('game', '{}', 'sessionStorage');
  if (recallObject('game').id === id) remember('game', null);
}

/** play shows #/play; #/play/now begins a game at once unless one is on the board. */
export function play(main, [now]) {
  let end = () => {};
  let alive = true;
  const leave = (f) => { end(); end = f || (() => {}); };

  function lobby(note, lost) {
    if (alive) leave(welcome(main, open, note, lost));
  }

  function open(state, settings) {
    if (!alive) return;
    leave(atBoard(main, state, settings, () => { forgetGame(state.id); lobby(); }, begin));
  }

  /** begin begins a game after another one. */
  async function begin(settings) {
    try {
      open(await post('play', settings), settings);
    } catch (error) {
      lobby(error.message);
    }
  }

  (async () => {
    const kept = keptGame();
    if (now === 'now') history.replaceState(null, '', '#/play');
    if (!kept.id) {
      if (now !== 'now') return lobby();
      try {
        const settings = await usual();
        return open(await post('play', settings), settings);
      } catch (error) {
        return lobby(error.message);
      }
    }
    replace(main, h('p', { class: 'muted' }, 'Setting up the board as you left it…'));
    try {
      let state;
      try {
        state = await get(`play/${encodeURIComponent(kept.id)}`);
      } catch (error) {
        if (error.status !== 404) throw error;
        state = await post('play', { ...kept.settings, moves: kept.moves, clock: kept.clock });
      }
      open(state, kept.settings);
    } catch (error) {
      lobby(`The game you left could not be set up again: ${error.message}${kept.moves ? '. Its moves are below' : ''}`, kept);
    }
  })();
  return () => { alive = false; end(); };
}

/** usual is the game that begins without a question: the first network, or else the greedy player. */
async function usual() {
  const { networks, baselines } = await get('players');
  return networks.length ? { player: networks[0].id, level: networks[0].level, side: 'gold' } : { player: baselines[1].id, side: 'gold' };
}

/** elo writes a rating. If it is not on the scale of the run's other ratings, it says which player is 0. */
export const elo = (r) => `rated ${r.elo < 0 ? '−' : '+'}${Math.abs(Math.round(r.elo))}${r.margin ? ` ± ${Math.round(r.margin)}` : ''}${r.zero ? ` (${r.zero} is 0)` : ''}`;

/** levelText says a level in words. */
const levelText = (l, rating) => `${l.id}: ${l.title}${rating ? `, ${elo(rating)}` : ''}`;

/**
 * welcome asks for an opponent. It offers to continue with the moves of a lost game, one
 * that could not be set up again.
 */
function welcome(main, open, note, lost = {}) {
  let alive = true;
  const problem = h('p', { class: 'problem', role: 'alert' }, note || '');
  replace(main, h('h1', {}, 'Play'), problem, h('p', { class: 'muted' }, 'Looking for opponents…'));
  get('players').then(({ networks, levels, baselines }) => {
    if (!alive) return;
    const kept = { ...recallObject('settings'), ...lost.settings };
    const known = [...networks, ...baselines].some((p) => p.id === kept.player);
    const chosen = known ? kept.player : (networks[0] || baselines[1]).id;
    const player = h('select', { name: 'player' },
      networks.length ? h('optgroup', { label: 'Networks' }, networks.map((n) => h('option', { value: n.id, selected: n.id === chosen }, n.title + (n.rating ? `, ${elo(n.rating)}` : '')))) : null,
      h('optgroup', { label: 'Without a network' }, baselines.map((b) => h('option', { value: b.id, selected: b.id === chosen }, `${b.title}: ${b.about}`))));
    const strength = h('select', { name: 'level' });
    const level = h('label', { class: 'field' }, 'Level', strength);
    const adviser = h('label', { class: 'field' }, 'Hints from', h('select', { name: 'adviser' },
      h('option', { value: '' }, 'nobody'), networks.map((n, i) => h('option', { value: n.id, selected: i === 0 }, n.title))));
    const fit = () => {
      const network = networks.find((n) => n.id === player.value);
      const ratings = network?.levels || {};
      const wanted = strength.value || kept.level;
      const before = levels.some((l) => l.id === wanted) ? wanted : network?.level;
      replace(strength, levels.map((l) => h('option', { value: l.id, selected: l.id === before }, levelText(l, ratings[l.id]))));
      level.hidden = !network;
      adviser.hidden = Boolean(network) || networks.length === 0;
    };
    player.addEventListener('change', fit);
    const own = h('input', { type: 'text', name: 'control', placeholder: '2/2/100/10/8', value: kept.control || '', hidden: true, 'aria-label': 'Time control in the notation of arimaa.com' });
    const offered = controls.some(([c]) => c === (kept.control || ''));
    const clockField = h('span', { class: 'stack tight' }, h('select', { name: 'clock', 'aria-label': 'Clock', onchange: (e) => {
      own.hidden = e.target.value !== 'own';
      own.required = !own.hidden;
      if (own.hidden) own.value = e.target.value;
    } }, controls.map(([c, text]) => h('option', { value: c, selected: offered && c === (kept.control || '') }, text)), h('option', { value: 'own', selected: !offered }, 'another, in notation')), own);
    own.hidden = offered;
    own.required = !offered;
    const moves = h('textarea', { rows: 4, id: 'moves', spellcheck: false, placeholder: '1g Ra1 Rb1 …', value: lost.moves || '' });
    const begin = h('button', { class: 'button primary', type: 'submit' }, 'Begin');
    const form = h('form', { class: 'card stack' },
      h('div', { class: 'opponents' }, h('label', { class: 'field' }, 'Opponent', player), level, adviser,
        h('label', { class: 'field' }, 'You play', h('select', { name: 'side' },
          h('option', { value: 'gold', selected: kept.side !== 'silver' }, 'Gold, who moves first'), h('option', { value: 'silver', selected: kept.side === 'silver' }, 'Silver'))),
        h('label', { class: 'field' }, 'Handicap', h('select', { name: 'handicap' }, h('option', { value: '' }, 'none'),
          ['opponent', 'you'].map((who) => h('optgroup', { label: who === 'you' ? 'You play without' : 'Your opponent plays without' },
            handicaps.map(([letters, text]) => h('option', { value: `${who} ${letters}`, selected: kept.chosenHandicap === `${who} ${letters}` }, `${who === 'you' ? 'you' : 'opponent'} without ${text}`)))))),
        h('label', { class: 'field' }, 'Clock', clockField)),
      h('details', { open: Boolean(lost.moves) }, h('summary', {}, 'Continue with a saved game'), h('label', { for: 'moves', class: 'muted' }, 'Its moves in Arimaa’s notation'), moves,
        h('p', {}, h('label', { class: 'button' }, 'Choose a file', h('input', { type: 'file', class: 'visually-hidden', accept: '.txt,text/plain',
          onchange: async (e) => { if (e.target.files[0]) moves.value = (await e.target.files[0].text()).slice(0, 500000); } })))),
      h('div', {}, begin));
    form.addEventListener('submit', async (e) => {
      e.preventDefault();
      const data = Object.fromEntries(new FormData(form));
      const [who, letters = ''] = data.handicap.split(' ');
      const settings = { player: data.player, level: data.level, side: data.side, adviser: adviser.hidden ? '' : data.adviser, control: own.value.trim(),
        chosenHandicap: data.handicap, handicap: { [(who === 'you') === (data.side === 'gold') ? 'gold' : 'silver']: letters } };
      remember('settings', JSON.stringify(settings));
      begin.disabled = true;
      problem.textContent = '';
      try {
        open(await post('play', { ...settings, moves: moves.value }), settings);
      } catch (error) {
        problem.textContent = error.message;
        begin.disabled = false;
      }
    });
    replace(main, h('h1', {}, 'Play'),
      h('p', { class: 'lede' }, 'Bring one of your rabbits to the far side. New to Arimaa? ', h('a', { href: '#/rules' }, 'The rules take three minutes'), '.'),
      problem, h('div', { class: 'lobby' }, form, picture('Both sides set up', beginning)));
    fit();
  }, (error) => { problem.textContent = error.message; });
  return () => { alive = false; };
}

function atBoard(main, first, settings, over, again) {
  /** @type {any} */
  let state = first;
  let alive = true;
  let busy = null; // the AbortController of what is under way
  let chosen = -1; // the square that was tapped
  let push = null; // {from, on, ways}: a push whose way is still to be chosen
  let arranged = null; // the board of a setup that is being arranged
  let arrangement = 0;
  let asks = recall('evaluation') === 'on';
  let turned = false; // whether the person has turned the board
  let fresh = []; // squares of the opponent's last turn
  let explained = ''; // what was last asked why it is not possible

  const clock = clockView(() => {
    if (busy) return false;
    act('time');
    return true;
  });
  const board = new Board({ play: true, label: 'The board. Arrow keys move, Enter picks up and puts down.' });
  const bar = h('div', { class: 'evalbar none', role: 'img', 'aria-label': 'No evaluation' }, h('div'));
  const line = h('div', { class: 'turn-line', 'aria-live': 'polite' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const banner = h('div');
  const buttons = h('div', { class: 'controls' });
  const hint = h('div');
  const moves = h('ol', { class: 'moves', 'aria-label': 'Turns', tabIndex: 0 });
  const resign = h('button', { class: 'button', type: 'button', onclick: () => { if (confirm('Resign this game?')) act('resign'); } }, 'Resign');
  const opponent = state.opponent;

  replace(main, h('h1', { class: 'visually-hidden' }, `A game against ${opponent}`),
    h('div', { class: 'desk bleed' },
      h('div', { class: 'stack' }, line, clock.element, h('div', { class: 'with-bar board-frame' }, bar, board.element), problem),
      h('div', { class: 'stack' }, banner, buttons, hint,
        h('details', { open: innerWidth > 860 }, h('summary', {}, 'The game so far'), moves),
        h('details', {}, h('summary', {}, 'More'), more()),
        h('p', { class: 'kbd-help' }, 'Tap or drag a piece. Keys: arrows, ', h('kbd', {}, 'Enter'), ' picks up and puts down, ', h('kbd', {}, 'E'), ' ends the turn, ',
          h('kbd', {}, 'U'), ' takes back, ', h('kbd', {}, 'H'), ' hint, ', h('kbd', {}, 'Esc'), ' lets go.'))));

  function more() {
    const letters = document.documentElement.classList.contains('letters');
    return h('div', { class: 'controls' },
      h('button', { class: 'button', type: 'button', onclick: () => download('game.txt', new Blob([state.moves], { type: 'text/plain' })) }, 'Save the game'),
      h('button', { class: 'button', type: 'button', 'aria-pressed': String(letters), onclick: (e) => {
        const on = document.documentElement.classList.toggle('letters');
        remember('letters', on ? 'on' : null);
        e.currentTarget.setAttribute('aria-pressed', String(on));
      } }, 'Letters on the pieces'),
      h('button', { class: 'button', type: 'button', onclick: () => { turned = !turned; draw(); } }, 'Turn the board'),
      resign);
  }

  const mine = () => !state.winner && state.toMove === state.side;

  const theirs = () => !state.winner && state.toMove !== state.side;

  /** begun is whether there is anything to take back. */
  const begun = () => state.moves !== '' || state.open.length > 0;

  /** act does something at the board, and then lets the opponent play if it is its turn. */
  async function act(what, body) {
    if (busy) return false;
    busy = new AbortController();
    const { signal } = busy;
    problem.textContent = '';
    hint.replaceChildren();
    chosen = -1;
    push = null;
    explained = '';
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

  /** take makes next the state, which the program sent at a time of performance.now, or just now. */
  function take(next, at) {
    state = next;
    clock.update(state, at);
    keepGame({ id: state.id, moves: state.moves, clock: state.clock, settings });
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
      fresh = [];
      for (const f of next.played || []) {
        board.show(f.board);
        board.arrows(isStep(f.action) ? [{ from: fromOf(f.action), to: toOf(f.action), width: 0.3, kind: 'other' }] : []);
        if (isStep(f.action)) fresh.push(fromOf(f.action), toOf(f.action));
        if (wait) await new Promise((r) => setTimeout(r, wait));
        if (!alive) return;
      }
      take(next, heard);
      const words = turns(state.moves);
      say(`${opponent} played ${(words[words.length - 1] || {}).text || ''}. ${state.winner ? result(state.winner, state.reason) : 'It is your turn.'}`);
      if (next.forfeit) problem.textContent = `${opponent} gave up: ${next.forfeit}`;
    } catch (error) {
      if (alive && error.name !== 'AbortError') {
        if (error.state) take(error.state);
        // It has played if another tab asked it, or if an earlier answer was lost.
        if (theirs()) {
          fail(error);
          replace(hint, h('button', { class: 'button', type: 'button', onclick: retry }, 'Let the opponent try again'));
        }
      }
    }
    busy = null;
    if (!alive) return;
    board.arrows([]);
    draw();
    evaluate();
  }

  function retry() {
    problem.textContent = '';
    hint.replaceChildren();
    reply();
  }

  /** undo takes back, even while the opponent thinks. */
  async function undo() {
    if (!begun()) return;
    if (busy) {
      busy.abort();
      while (busy && alive) await new Promise((r) => setTimeout(r, 20));
    }
    fresh = [];
    arranged = null;
    await act('undo');
  }

  async function evaluate() {
    if (!asks || !state.advice || state.winner || arranged) {
      bar.classList.add('none');
      bar.setAttribute('aria-label', 'No evaluation');
      return;
    }
    try {
      const { value, mixed } = await post(`play/${state.id}/evaluate`);
      if (!alive || !asks) return;
      bar.classList.remove('none');
      bar.firstChild.style.height = `${100 * value}%`;
      bar.title = chance(value, mixed) + (mixed ? `: ${mixture}` : '');
      bar.setAttribute('aria-label', bar.title);
    } catch { /* the bar is not worth a message */ }
  }

  async function advise() {
    if (busy || !mine()) return;
    busy = new AbortController();
    replace(hint, h('p', { class: 'muted' }, 'Thinking…'));
    draw();
    try {
      const a = await post(`play/${state.id}/hint`, {}, busy.signal);
      if (!alive) return;
      replace(hint, h('section', { class: 'card' }, h('h2', {}, 'A hint'), adviceView(a)));
      board.arrows(a.turn.filter(isStep).map((s) => ({ from: fromOf(s), to: toOf(s), width: 0.5 })));
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
    board.flip((state.side === 'silver') !== turned);
    const setup = mine() && state.setup;
    if (setup && !arranged) arranged = state.setups[arrangement % state.setups.length];
    if (!setup) arranged = null;
    if (!busy || mine()) board.show(arranged || state.board);
    if (!keepArrows && mine()) board.arrows([]);
    const can = setup ? own() : mine() && !busy ? startOf(state) : [];
    const reach = chosen >= 0 && !setup ? choices(state, chosen) : new Map();
    const marks = { can, chosen: chosen >= 0 ? [chosen] : [], last: chosen < 0 && !setup ? fresh : [], goal: [], far: [], full: [], must: state.pushed >= 0 && mine() ? [state.pushed] : [] };
    if (push) {
      marks.goal = push.ways.map((w) => toOf(w[0]));
      marks.chosen = [push.on];
    } else if (setup && chosen >= 0) marks.full = [...own()].filter((n) => n !== chosen);
    else {
      for (const [to, c] of reach) {
        marks.goal.push(to);
        if (c.kind === 'slide') marks.far.push(to);
        if (at(state.board, to)) marks.full.push(to);
      }
    }
    board.mark(marks);
    const words = new Map();
    for (const n of can) words.set(n, setup ? 'can be moved' : 'can step');
    for (const n of marks.goal) words.set(n, at(state.board, n) ? 'can be pushed' : 'can be reached');
    if (chosen >= 0) words.set(chosen, 'taken');
    board.name(words);
    drawLine(setup);
    drawButtons(setup);
    const list = turns(state.moves);
    replace(moves, list.map((t) => h('li', {}, h('span', { class: 'label' }, t.label), h('span', {}, t.label.startsWith('1') && t.text.length > 40 ? 'setup' : t.text))),
      state.open.length ? h('li', {}, h('span', { class: 'label' }, state.label), h('span', {}, state.open.join(' '), ' …')) : null);
    moves.scrollTop = moves.scrollHeight;
    replace(banner, state.winner ? h('div', { class: 'banner' }, state.winner === state.side ? 'You won. ' : `${opponent} won. `, result(state.winner, state.reason), '.')
      : setup ? h('p', { class: 'muted' }, 'New to Arimaa? ', h('a', { href: '#/rules' }, 'The rules take three minutes'), '; the board stays as it is.') : null);
  }

  function own() {
    const list = new Set();
    for (let n = 0; n < 64; n++) {
      const piece = at(arranged || state.board, n);
      if (piece && isGold(piece) === (state.side === 'gold')) list.add(n);
    }
    return list;
  }

  function drawLine(setup) {
    const icon = pieceImage(state.toMove === 'gold' ? 'E' : 'e');
    const who = state.winner ? 'The game is over' : setup ? 'Set up your pieces' : state.pushed >= 0 && mine() ? `Fill ${square(state.pushed)} to end the push`
      : push ? 'Push it to which square?' : mine() ? 'Your turn' : `${opponent} is thinking…`;
    replace(line, icon, h('b', {}, who), h('span', { class: 'muted' }, state.winner ? '' : `${state.label}, you are ${state.side} against ${opponent}`), mine() && !setup ? pips(state.left) : null);
  }

  let held = ''; // the button that had the focus, and has it again once it can be used
  function drawButtons(setup) {
    const focused = document.activeElement;
    if (focused && buttons.contains(focused)) held = focused.textContent;
    else if (focused && focused !== document.body) held = '';
    const b = (text, on, props = {}) => h('button', { class: 'button', type: 'button', onclick: on, ...props }, text);
    const list = [];
    if (setup) {
      list.push(b('Start', start, { class: 'button primary', disabled: Boolean(busy) }),
        b('Another setup', () => { arrangement++; arranged = state.setups[arrangement % state.setups.length]; chosen = -1; draw(); }));
    } else if (!state.winner) {
      list.push(b('End turn', endMyTurn, { class: 'button primary', disabled: Boolean(busy) || !mine() || !state.legal.includes(endTurn) }));
    }
    list.push(b('Take back', undo, { disabled: !begun() }));
    if (state.advice && !state.winner) {
      if (!setup) list.push(b('Hint', advise, { disabled: Boolean(busy) || !mine() }));
      list.push(b('Evaluation', () => { asks = !asks; remember('evaluation', asks ? 'on' : null); draw(); evaluate(); }, { 'aria-pressed': String(asks) }));
    }
    if (state.winner) {
      list.push(b(state.next ? `Play level ${state.next}` : 'Play again', () => again({ ...settings, level: state.next || settings.level }), { class: 'button primary' }));
    }
    list.push(b('New game', leaveGame));
    replace(buttons, list);
    resign.disabled = Boolean(busy) || !mine();
    if (held) [...buttons.children].find((x) => x.textContent === held && !x.disabled)?.focus();
  }

  const start = () => act('setup', { pieces: placements(arranged, state.side) });
  const endMyTurn = () => { if (!busy && mine() && state.legal.includes(endTurn)) steps([endTurn]); };
  const leaveGame = () => { if (state.winner || !begun() || confirm('Leave this game? It is not over, and will be lost.')) over(); };

  /** move plays a way from one square to another, if there is one. */
  function move(from, to) {
    if (mine() && state.setup) {
      if (own().has(from) && own().has(to)) arranged = swapped(arranged, from, to);
      chosen = -1;
      return draw();
    }
    const c = choices(state, from).get(to);
    if (!c) return void explain(from, to);
    if (c.ways.length === 1) return void steps(c.ways[0]);
    push = { from, on: to, ways: c.ways };
    draw();
    say('Choose where the piece is pushed.');
  }

  /** explain says why a piece cannot be moved to a square, or at all. What was chosen stays so, if it can step. */
  async function explain(from, to) {
    chosen = startOf(state).has(from) ? from : -1;
    draw();
    const question = `${from}-${to}`;
    if (!at(state.board, from) || question === explained && problem.textContent) return;
    explained = question;
    try {
      const { text } = await post(`play/${state.id}/why`, { from, to });
      if (alive && explained === question) problem.textContent = text;
    } catch { /* the board shows what is possible */ }
  }

  function tap(n) {
    if (busy || !mine()) return;
    if (push) {
      const way = push.ways.find((w) => toOf(w[0]) === n);
      push = null;
      if (way) return void steps(way);
      chosen = -1;
      return draw();
    }
    if (state.setup) {
      if (chosen >= 0 && n !== chosen) return move(chosen, n);
      chosen = chosen === n || !own().has(n) ? -1 : n;
      return draw();
    }
    problem.textContent = '';
    if (chosen >= 0 && choices(state, chosen).has(n)) return move(chosen, n);
    const from = chosen;
    chosen = n !== chosen && startOf(state).has(n) ? n : -1;
    draw();
    if (chosen < 0 && n !== from) explain(from >= 0 && !own().has(n) ? from : n, n);
    if (chosen >= 0) say(`${square(n)} picked up; it can go to ${[...choices(state, n).keys()].map(square).join(', ')}`);
  }

  const drop = dragging(board, {
    lift: (n) => {
      if (busy || !mine() || push) return false;
      const ok = state.setup ? own().has(n) : startOf(state).has(n);
      if (ok) { problem.textContent = ''; chosen = n; draw(); } else if (!state.setup) explain(n, n);
      return ok;
    },
    tap,
    drop: (from, to) => { if (to >= 0 && to !== from) move(from, to); else { chosen = -1; draw(); } },
  });

  const keys = (e) => {
    if (e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
    if (e.repeat) return; // a key that is held down would take back the whole game
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const f = { e: endMyTurn, u: undo, h: state.advice ? advise : null, Escape: () => { chosen = -1; push = null; draw(); } }[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (f) { e.preventDefault(); f(); }
  };
  document.addEventListener('keydown', keys);

  take(state);
  draw();
  follow();
  return () => {
    alive = false;
    clock.close();
    drop();
    busy?.abort();
    document.removeEventListener('keydown', keys);
  };
}
