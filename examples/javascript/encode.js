// The input planes and the actions, as docs/reference/encoding.md describes them.

import { frozen, owner, pullable, strength } from "./rules.js";

export const PLANES = 40;
export const PASS = 256;

// Converts a square of the board to the mover's frame: for Silver the ranks are reversed.
const seen = (square, side) => side === "g" ? square : square ^ 56;

// Returns the input for a state, [rank][file][plane].
export function encode(state) {
  const { board, start, side, left, push, pull } = state;
  const x = new Float32Array(64 * PLANES);
  const set = (square, plane, value = 1) => { x[seen(square, side) * PLANES + plane] = value; };
  const everywhere = (plane) => { for (let square = 0; square < 64; square++) set(square, plane); };

  for (let square = 0; square < 64; square++) {
    const piece = board[square], own = owner(piece) === side;
    if (piece !== ".") {
      set(square, (own ? 0 : 6) + strength(piece) - 1);
      if (frozen(board, square)) set(square, own ? 12 : 13);
    }
    if (piece !== start[square]) set(square, 22);
  }
  everywhere(14 + left - 1);
  if (push) {
    set(push.square, 18);
    set(push.square, 19, push.strength / 6);
  }
  if (pull) {
    set(pull.square, 20);
    for (const square of pullable(state)) set(square, 21);
  }
  for (const trap of [18, 21, 42, 45]) set(trap, 34);
  everywhere(35);
  return x;
}

// Returns the index of a step in the policy.
export function action({ from, direction }, side) {
  const turned = side === "s" && direction % 2 === 0 ? 2 - direction : direction;
  return 64 * turned + seen(from, side);
}
