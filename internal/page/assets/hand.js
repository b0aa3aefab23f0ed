// The hand that makes steps at a board, by tap, drag or keys. The program says what can be
// played; this file lets a person say it.

import { say } from './dom.js';
import { at, fromOf, isGold, isStep, square, toOf } from './notation.js';

/** choices are what a tap or a drag from a square can reach: square to ways, each way a list of actions. */
export function choices(position, from) {
  const ways = new Map();
  for (const a of position.legal) if (isStep(a) && fromOf(a) === from) ways.set(toOf(a), { kind: 'step', ways: [[a]] });
  for (const [key, way] of Object.entries(position.slides)) {
    const [f, t] = key.split('-').map(Number);
    if (f === from && !ways.has(t)) ways.set(t, { kind: 'slide', ways: [way] });
  }
  for (const [key, list] of Object.entries(position.pushes)) {
    const [f, t] = key.split('-').map(Number);
    if (f === from && !ways.has(t)) ways.set(t, { kind: 'push', ways: list });
  }
  return ways;
}

/** startOf lists the squares that something can be done with. */
export function startOf(position) {
  const from = new Set(position.legal.filter(isStep).map(fromOf));
  for (const key of Object.keys(position.pushes)) from.add(Number(key.split('-')[0]));
  return from;
}

/** own lists the squares with pieces of a side. */
export function own(board, side) {
  const list = new Set();
  for (let n = 0; n < 64; n++) {
    const piece = at(board, n);
    if (piece && isGold(piece) === (side === 'gold')) list.add(n);
  }
  return list;
}

/** placements writes the pieces of a side on a board, as in Ra1 Rb1. */
export const placements = (board, side) => [...own(board, side)].map((n) => at(board, n) + square(n)).join(' ');

/** Hand is what dragging of board.js reports to. */
export class Hand {
  /**
   * @param {import('./board.js').Board} board
   * @param {{position: () => any, play: (actions: number[]) => void, why: (from: number, to: number) => Promise<string>, draw: () => void, tell: (text: string) => void}} on
   *   position: what can be played, or null if nothing can be now; why: why a piece cannot go there; tell shows that, or '' to take it away
   */
  constructor(board, on) {
    this.on = on;
    this.board = board;
    this.chosen = -1; // the square that was tapped
    /** @type {{on: number, ways: number[][]}|null} */
    this.push = null; // a push whose way is still to be chosen
    this.asked = ''; // what was last asked why it is not possible
  }

  /** clear lets go of what was chosen. */
  clear() {
    this.chosen = -1;
    this.push = null;
    this.asked = '';
  }

  letGo() {
    this.clear();
    this.on.draw();
  }

  /** mark shows on the board what can be done. last lists the squares of the turn before. */
  mark(last = []) {
    const position = this.on.position();
    const can = position ? startOf(position) : new Set();
    const marks = { can, chosen: this.chosen >= 0 ? [this.chosen] : [], last: this.chosen < 0 ? last : [], goal: [], far: [], full: [], must: position && position.pushed >= 0 ? [position.pushed] : [] };
    if (this.push) {
      marks.goal = this.push.ways.map((w) => toOf(w[0]));
      marks.chosen = [this.push.on];
    } else if (position && this.chosen >= 0) {
      for (const [to, c] of choices(position, this.chosen)) {
        marks.goal.push(to);
        if (c.kind === 'slide') marks.far.push(to);
        if (at(position.board, to)) marks.full.push(to);
      }
    }
    this.board.mark(marks);
    const words = new Map();
    for (const n of can) words.set(n, 'can step');
    for (const n of marks.goal) words.set(n, at(this.board.position, n) ? 'can be pushed' : 'can be reached');
    if (this.chosen >= 0) words.set(this.chosen, 'picked up');
    this.board.name(words);
  }

  /** drop ends a drag; to is below 0 outside the board. */
  drop(from, to) {
    if (to >= 0 && to !== from) this.move(from, to);
    else this.letGo();
  }

  /** move plays a way from one square to another, if there is one. */
  move(from, to) {
    const position = this.on.position();
    if (!position) return this.letGo();
    const c = choices(position, from).get(to);
    if (!c) return void this.explain(from, to);
    if (c.ways.length === 1) return this.on.play(c.ways[0]);
    this.push = { on: to, ways: c.ways };
    this.on.draw();
    say('Choose where the piece is pushed.');
  }

  /** explain says why a piece cannot be moved to a square, or at all. What was chosen stays so, if it can step. */
  async explain(from, to) {
    const position = this.on.position();
    if (!position) return;
    const question = `${from}-${to}`;
    if (question === this.asked) return; // a drag asks with every move of the pointer
    this.asked = question;
    this.chosen = startOf(position).has(from) ? from : -1;
    this.on.draw();
    if (!at(position.board, from)) return;
    try {
      const text = await this.on.why(from, to);
      if (this.asked === question) this.on.tell(text);
    } catch { /* the board shows what is possible */ }
  }

  lift(n) {
    const position = this.on.position();
    if (!position || this.push) return false;
    const can = startOf(position).has(n);
    if (!can) this.explain(n, n);
    else {
      this.on.tell('');
      this.asked = '';
      this.chosen = n;
      this.on.draw();
    }
    return can;
  }

  tap(n) {
    const position = this.on.position();
    if (!position) return;
    if (this.push) {
      const way = this.push.ways.find((w) => toOf(w[0]) === n);
      this.push = null;
      if (way) return this.on.play(way);
      return this.letGo();
    }
    this.on.tell('');
    if (this.chosen >= 0 && choices(position, this.chosen).has(n)) return this.move(this.chosen, n);
    const from = this.chosen;
    this.clear();
    if (n !== from && startOf(position).has(n)) this.chosen = n;
    this.on.draw();
    if (this.chosen < 0 && n !== from) this.explain(from >= 0 && !own(position.board, position.toMove).has(n) ? from : n, n);
    if (this.chosen >= 0) say(`${square(n)} picked up; it can go to ${[...choices(position, n).keys()].map(square).join(', ')}`);
  }
}
