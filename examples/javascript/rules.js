// The rules of Arimaa as far as one turn needs them: which steps are legal, and
// what follows from one. Repetition is left out, because a position by itself has
// no earlier ones, and so is the setup.
//
// A state is a plain value: the board (64 letters or ".", a1 = 0 to h8 = 63), the
// side to move ("g" or "s"), the steps left, the board at the turn's start, and the
// push or pull that the last step left open: { push | pull: square, strength }.

const LETTERS = "rcdhme"; // weakest first
const OFFSETS = [8, 1, -8, -1]; // north, east, south, west
const TRAPS = [18, 21, 42, 45]; // c3, f3, c6, f6

export const STEPS_PER_TURN = 4;

// The strength of a piece: rabbit 1 to elephant 6, and 0 for none.
export const strength = (piece) => LETTERS.indexOf(piece.toLowerCase()) + 1;

export const owner = (piece) => piece === "." ? null : piece < "a" ? "g" : "s";

// The square that a step from a square in a direction reaches, or -1 off the board.
function target(square, direction) {
  const to = square + OFFSETS[direction];
  const wraps = OFFSETS[direction] % 8 !== 0 && to >> 3 !== square >> 3;
  return to < 0 || to > 63 || wraps ? -1 : to;
}

const NEIGHBOURS = Array.from({ length: 64 }, (_, square) =>
  OFFSETS.map((_, direction) => target(square, direction)).filter((to) => to >= 0));

const beside = (board, square, wanted) => NEIGHBOURS[square].some((near) => wanted(board[near]));

// Whether the piece on a square is next to a stronger enemy and to no friend.
export function frozen(board, square) {
  const piece = board[square], side = owner(piece);
  return !beside(board, square, (near) => owner(near) === side) &&
    beside(board, square, (near) => owner(near) !== side && strength(near) > strength(piece));
}

// Reads a position in short notation: the side and 64 letters in brackets, a8 to h8
// first, with a space or a full stop for an empty square.
export function parsePosition(text) {
  const match = /^\s*([gswb]) \[([RCDHMErcdhme. ]{64})\]\s*$/.exec(text);
  if (!match) throw new Error(`not a position such as "g [...64 letters...]": ${JSON.stringify(text.slice(0, 90))}`);
  const board = Array.from({ length: 64 }, (_, square) => match[2][square ^ 56].replace(" ", "."));
  return { board, side: "gw".includes(match[1]) ? "g" : "s", left: STEPS_PER_TURN, start: board, push: null, pull: null };
}

// The enemy pieces that may now be pulled.
export function pullable({ board, side, pull }) {
  if (!pull) return [];
  return NEIGHBOURS[pull.square].filter((square) =>
    board[square] !== "." && owner(board[square]) !== side && strength(board[square]) < pull.strength);
}

// The steps that obey the rules of movement, as { from, direction, to }.
function moves(state) {
  const { board, side, left, push, pull } = state;
  const pulls = pullable(state);
  const steps = [];
  for (let from = 0; from < 64; from++) {
    const piece = board[from];
    if (piece === ".") continue;
    const own = owner(piece) === side;
    const free = own && !frozen(board, from);
    // A push takes two steps, and a stronger piece beside that is free to move.
    const pushable = !own && left > 1 && !push && NEIGHBOURS[from].some((near) =>
      owner(board[near]) === side && strength(board[near]) > strength(piece) && !frozen(board, near));
    for (let direction = 0; direction < 4; direction++) {
      const to = target(from, direction);
      if (to < 0 || board[to] !== ".") continue;
      const backward = direction === (side === "g" ? 2 : 0) && strength(piece) === 1;
      const may = push
        ? free && to === push.square && strength(piece) > push.strength
        : own ? free && !backward : pushable || pull?.square === to && pulls.includes(from);
      if (may) steps.push({ from, direction, to });
    }
  }
  return steps;
}

// The state after a step, the turn still open.
export function after(state, { from, to }) {
  const board = [...state.board], piece = board[from];
  board[to] = piece;
  board[from] = ".";
  let push = null, pull = null;
  if (owner(piece) !== state.side) {
    const finishesPull = state.pull?.square === to && strength(piece) < state.pull.strength;
    if (!finishesPull) push = { square: from, strength: strength(piece) };
  } else if (!state.push) {
    const weaker = beside(state.board, from, (near) =>
      near !== "." && owner(near) !== state.side && strength(near) < strength(piece));
    if (weaker) pull = { square: from, strength: strength(piece) };
  }
  for (const trap of TRAPS) {
    const side = owner(board[trap]);
    if (side && !beside(board, trap, (near) => owner(near) === side)) board[trap] = ".";
  }
  return { ...state, board, left: state.left - 1, push, pull };
}

// Whether the turn may end here: after a step, with no push unfinished and another
// board than it began with.
export function mayEnd({ board, start, left, push }) {
  return left < STEPS_PER_TURN && !push && board.some((piece, square) => piece !== start[square]);
}

// Whether the turn may end here or after more steps.
function canFinish(state) {
  return mayEnd(state) || state.left > 0 && moves(state).some((step) => canFinish(after(state, step)));
}

// The legal steps: those from which the turn can still be completed.
export const legalSteps = (state) => moves(state).filter((step) => canFinish(after(state, step)));

// A step in notation with its captures, as in "rc4s rc3x".
export function format(state, { from, direction, to }) {
  const name = (square) => "abcdefgh"[square & 7] + (1 + (square >> 3));
  const words = [state.board[from] + name(from) + "nesw"[direction]];
  const { board } = after(state, { from, to });
  for (const trap of TRAPS) {
    const piece = trap === to ? state.board[from] : trap === from ? "." : state.board[trap];
    if (piece !== "." && board[trap] === ".") words.push(piece + name(trap) + "x");
  }
  return words.join(" ");
}
