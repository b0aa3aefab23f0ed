// The path that a viewer walks: the game, or a variation that leaves it somewhere.

import { post } from './api.js';
import { actionName, endTurn } from './notation.js';

/**
 * @typedef {{frames: any[], final: string, from: number, title: string}} Path
 *   the positions with their actions, and the board after them; the game's own path is left at from,
 *   which is Infinity for that path itself
 */

/** mainPath returns the path of a game. @returns {Path} */
export const mainPath = (game) => ({ frames: game.frames, final: game.final, from: Infinity, title: '' });

/** branch returns the path that leaves another one after n actions with other frames. @returns {Path} */
export function branch(path, n, frames, final, title) {
  return { frames: [...path.frames.slice(0, n), ...frames], final, from: Math.min(n, path.from), title };
}

/** request is the position after n actions of a path, as the program is asked about it. */
export const request = (game, path, n) => ({
  actions: path.frames.slice(0, n).map((f) => f.action), missing: game.missing || [], position: game.position || '',
});

/** follows reports whether a path continues after n actions with some actions. */
export const follows = (path, n, actions) => actions.every((a, i) => path.frames[n + i]?.action === a);

/**
 * extended returns the path with actions made after n of its own, from a position that the program
 * has sent, and the position after them.
 */
export async function extended(game, path, n, position, actions, signal) {
  const frames = [];
  let at = position;
  const asked = request(game, path, n);
  for (const action of actions) {
    frames.push({ board: at.board, label: at.label, side: at.toMove, left: at.left, action, text: action === endTurn ? '' : actionName(action, at.board) });
    asked.actions.push(action);
    at = await post('position', asked, signal);
  }
  return { path: branch(path, n, frames, at.board, 'Variation'), position: at };
}

/** textOf writes the part of a path that is not the game's, each turn after its label. */
export function textOf(path) {
  let label = '';
  return path.frames.slice(path.from).map((f) => {
    const before = f.label === label ? '' : `${f.label} `;
    label = f.label;
    return before + (f.text || 'end');
  }).join(' ');
}
