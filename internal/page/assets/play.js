// Play: the game that the browser keeps, and the way from the lobby to the board and back.

import { get, post } from './api.js';
import { h, recall, recallObject, remember, rememberHere, replace } from './dom.js';
import { result } from './games.js';
import { usual, welcome } from './lobby.js';
import { table } from './table.js';

/** keepGame keeps a game for when the page is loaded again: in this tab, which may have another game than the others, and for the next new tab. */
const keepGame = (game) => rememberHere('game', JSON.stringify(game));

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
  let begins = false; // whether begin is under way

  /** next ends what is shown and begins another part, which leaves its marks on main. */
  const next = (part) => { end(); end = part(); };

  function lobby(note, lost) {
    if (alive) next(() => welcome(main, open, note, lost));
  }

  function open(state, kept) {
    if (!alive) return;
    next(() => table(main, state, kept, { keep: keepGame, leave: () => { forgetGame(state.id); lobby(); }, begin }));
  }

  /** begin begins a game after another one. */
  async function begin(settings) {
    if (begins) return;
    begins = true;
    try {
      open(await post('play', settings), { settings });
    } catch (error) {
      lobby(error.message);
    }
    begins = false;
  }

  (async () => {
    const kept = keptGame();
    if (now === 'now') history.replaceState(null, '', '#/play');
    if (!kept.id) {
      if (now !== 'now') return lobby();
      try {
        const settings = await usual();
        return open(await post('play', settings), { settings });
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
        if (['time', 'turn limit'].includes(kept.reason)) throw new Error(`it is over. ${result(kept.winner, kept.reason)}`); // which its moves do not say
        state = await post('play', { ...kept.settings, moves: kept.moves, clock: kept.clock });
        // The same settings can name another network by now. Former versions kept no opponent.
        if (kept.opponent && state.opponent !== kept.opponent) throw new Error(`${kept.opponent} is not here now`);
      }
      open(state, kept);
    } catch (error) {
      lobby(`The game you left could not be set up again: ${error.message}${kept.moves ? '. Its moves are below' : ''}`, kept);
    }
  })();
  return () => { alive = false; end(); };
}
