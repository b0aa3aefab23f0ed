// Squares, actions and boards as the program sends them. A board is 64 characters,
// a8 to h8 first; a square is a number, a1 = 0 to h8 = 63; an action is a step
// (direction * 64 + square), 256 for the end of a turn, or 257 to 262 for a
// placement, rabbit to elephant.

export const endTurn = 256;
export const kinds = { r: 'rabbit', c: 'cat', d: 'dog', h: 'horse', m: 'camel', e: 'elephant' };
const offsets = [8, 1, -8, -1]; // north, east, south, west

export const isStep = (action) => action >= 0 && action < endTurn;
export const fromOf = (action) => action & 63;
export const toOf = (action) => (action & 63) + offsets[(action >> 6) & 3];
export const kindOf = (action) => 'rcdhme'[action - 257];

/** square names a square, as e2. */
export const square = (n) => 'abcdefgh'[n & 7] + ((n >> 3) + 1);

/** squareNamed returns the number of the square with a name. */
export const squareNamed = (name) => 'abcdefgh'.indexOf(name[0]) + 8 * (Number(name[1]) - 1);

/** at returns the piece on a square: a letter, upper case for gold, or '' for none. */
export function at(board, n) {
  const c = board[n ^ 56];
  return c === '.' || c === ' ' || c === undefined ? '' : c;
}

export const isGold = (piece) => piece !== '' && piece === piece.toUpperCase();

/** pieceName returns a piece in words. */
export const pieceName = (piece) => (piece ? `${isGold(piece) ? 'gold' : 'silver'} ${kinds[piece.toLowerCase()]}` : 'empty');

export const traps = ['c3', 'f3', 'c6', 'f6'].map(squareNamed);

/** put returns a board with a piece (or '.') on a square. */
export function put(board, n, piece) {
  const i = n ^ 56;
  return board.slice(0, i) + piece + board.slice(i + 1);
}

/** turns splits a move list into its turns. */
export function turns(moveList) {
  return moveList.split('\n').map((line) => line.trim()).filter((line) => line !== '').map((line) => {
    const space = line.indexOf(' ');
    return space < 0 ? { label: line, text: '' } : { label: line.slice(0, space), text: line.slice(space + 1) };
  });
}

/** stepsOf reads the steps of a turn in notation; its captures are no actions. */
export const stepsOf = (text) => text.split(' ').map((word) => /^[a-zA-Z]([a-h][1-8])([nesw])$/.exec(word)).filter(Boolean)
  .map(([, from, direction]) => 'nesw'.indexOf(direction) * 64 + squareNamed(from));

/** numbered returns the arrows of a turn's steps, in their order. */
export const numbered = (actions, kind) => actions.filter(isStep).map((a, i) => ({ from: fromOf(a), to: toOf(a), width: 0.2, kind, label: String(i + 1) }));

/** captured returns which of some pieces are no longer on a board, the strongest first. */
export function captured(pieces, board) {
  const on = [...board];
  const gone = [...pieces].filter((piece) => {
    const i = on.indexOf(piece);
    if (i >= 0) on.splice(i, 1);
    return i < 0;
  });
  return gone.sort((a, b) => 'emhdcr'.indexOf(a.toLowerCase()) - 'emhdcr'.indexOf(b.toLowerCase())).join('');
}

/** piecesOn returns the letters of the pieces on a board. */
export const piecesOn = (board) => board.replaceAll(/[^a-zA-Z]/g, '');

/** positionText writes the position at the start of a turn in short notation. */
export const positionText = (board, side) => `${side[0]} [${board.replaceAll('.', ' ')}]`;

/** turnStarts returns the indices of the frames that begin a turn. */
export function turnStarts(frames) {
  const starts = [];
  frames.forEach((f, i) => { if (i === 0 || f.label !== frames[i - 1].label) starts.push(i); });
  return starts;
}

/** actionName returns an action in words for people. */
export function actionName(action, board) {
  if (action === endTurn) return 'end of turn';
  if (!isStep(action)) return kinds[kindOf(action)];
  return `${at(board, fromOf(action))}${square(fromOf(action))}${'nesw'[action >> 6]}`;
}

/** counted writes a number of things: 1 game, 2 games. */
export const counted = (n, noun) => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** signed writes a number without decimals and with its sign. */
export const signed = (x) => `${Math.round(x) < 0 ? '−' : '+'}${Math.abs(Math.round(x))}`;

/** shares returns each number as a fraction of their sum. */
export function shares(pairs) {
  const sum = pairs.reduce((s, [, n]) => s + n, 0) || 1;
  return pairs.map(([action, n]) => ({ action, count: n, share: n / sum })).sort((a, b) => b.share - a.share);
}

/** mixture says what a value is that is not a chance to win, as data.material_weight of a run makes it. */
export const mixture = 'result and pieces, not a chance to win';

/** worth writes a value: a chance to win in percent, and one that is mixed as a number from 0 to 1. */
export const worth = (value, mixed) => (mixed ? value.toFixed(2) : `${Math.round(100 * value)}%`);

/** chance writes Gold's chance to win as the chances of both, and a value that is mixed as Gold's alone. */
export const chance = (value, mixed) => (mixed ? `gold’s value ${worth(value, true)}` : `gold ${worth(value)}, silver ${worth(1 - value)}`);
