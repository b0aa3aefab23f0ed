// The rules of Arimaa for a single turn: which steps are legal, and which state follows
// a step. Repetition is left out, because a single position has no history. The setup is
// left out too.
//
// A state is a plain object: the board (64 letters or ".", a1 = 0 to h8 = 63), the side
// to move ("g" or "s"), the steps left, the board at the start of the turn, and the
// unfinished push or possible pull after the last step: { push | pull: square, strength }.

const LETTERS = "rcdhme"; // weakest first
const OFFSETS = [8, 1, -8, -1]; // north, east, south, west
const TRAPS = [18, 21, 42, 45]; // c3, f3, c6, f6

export const STEPS_PER_TURN = 4;

// Returns the strength of a piece: rabbit 1 to elephant 6, and 0 for an empty square.
export const strength = (piece) => LETTERS.indexOf(piece.toLowerCase()) + 1;

export const owner = (piece) => piece === "." ? null : piece < "a" ? "g" : "s";

// Returns the square next to a square in a direction, or -1 if it is off the board.
function target(square, direction) {
  const to = square + OFFSETS[direction];
  const wraps = OFFSETS[direction] % 8 !== 0 && to >> 3 !== square >> 3;
  return to < 0 || to > 63 || wraps ? -1 : to;
}

const NEIGHBOURS = Array.from({ length: 64 }, (_, square) =>
  OFFSETS.map((_, direction) => target(square, direction)).filter((to) => to >= 0));

const beside = (board, square, wanted) => NEIGHBOURS[square].some((near) => wanted(board[near]));

// Reports whether the piece on a square is next to a stronger enemy piece and not next
// to a friendly piece.
export function frozen(board, square) {
  const piece = board[square], side = owner(piece);
  return !beside(board, square, (near) => owner(near) === side) &&
    beside(board, square, (near) => owner(near) !== side && strength(near) > strength(piece));
}

// Parses a position in short notation: the side and, in brackets, 64 characters, a8 to h8
// first, with a space or a full stop for an empty square.
export function parsePosition(text) {
  const match = /^\s*([gswb]) \[([RCDHMErcdhme. ]{64})\]\s*$/.exec(text);
  if (!match) throw new Error(`not a position such as "g [...64 characters...]": ${JSON.stringify(text.slice(0, 90))}`);
  const board = Array.from({ length: 64 }, (_, square) => match[2][square ^ 56].replace(" ", "."));
  return { board, side: "gw".includes(match[1]) ? "g" : "s", left: STEPS_PER_TURN, start: board, push: null, pull: null };
}

// Returns the squares of the enemy pieces that may now be pulled.
export function pullable({ board, side, pull }) {
  if (!pull) return [];
  return NEIGHBOURS[pull.square].filter((square) =>
    board[square] !== "." && owner(board[square]) !== side && strength(board[square]) < pull.strength);
}

// Returns the steps that obey the rules of movement, as { from, direction, to }.
function moves(state) {
  const { board, side, left, push, pull } = state;
  const pulls = pullable(state);
  const steps = [];
  for (let from = 0; from < 64; from++) {
    const piece = board[from];
    if (piece === ".") continue;
    const own = owner(piece) === side;
    const free = own && !frozen(board, from);
    // A push takes two steps and a stronger piece next to it that is not frozen.
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

// Returns the state after a step. It does not end the turn.
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

// Reports whether the turn may end now: after at least one step, with no unfinished push,
// and with a changed board.
export function mayEnd({ board, start, left, push }) {
  return left < STEPS_PER_TURN && !push && board.some((piece, square) => piece !== start[square]);
}

// Reports whether the turn may end now or after more steps.
function canFinish(state) {
  return mayEnd(state) || state.left > 0 && moves(state).some((step) => canFinish(after(state, step)));
}

// Returns the legal steps, after which the turn can still be completed.
export const legalSteps = (state) => moves(state).filter((step) => canFinish(after(state, step)));

// Returns a step in notation with its captures, such as "rc4s rc3x".
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
