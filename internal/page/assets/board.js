// A board: 64 cells with pieces, and arrows over them. It knows no rules.

import { h, svg } from './dom.js';
import { at, pieceName, square, squareNamed, traps } from './notation.js';
import { pieceImage } from './pieces.js';

/** squaresInOrder lists the squares as they are drawn, from the far left. */
function squaresInOrder(flipped) {
  return Array.from({ length: 64 }, (_, i) => (flipped ? i ^ 7 : i ^ 56));
}

export class Board {
  /**
   * @param {{play?: boolean, replay?: boolean, small?: boolean, label: string}} options
   *   play: the cells can be tapped, dragged and walked over by keyboard; replay: once they were reached by it
   */
  constructor(options) {
    this.options = options;
    this.flipped = false;
    this.position = '.'.repeat(64);
    /** @type {Map<number, HTMLElement>} */
    this.cells = new Map();
    this.shown = new Map();
    this.here = 0; // the cell that Tab reaches
    this.element = h('div', { class: options.play ? 'board play' : 'board', role: options.play ? 'grid' : 'img', 'aria-label': options.label });
    this.layer = svg('svg', { class: 'arrows', viewBox: '0 0 800 800', 'aria-hidden': 'true' });
    this.build();
    if (!options.play) return;
    this.element.addEventListener('keydown', (e) => this.walk(e));
    this.element.addEventListener('focusin', (e) => this.reach(squareNamed(e.target.dataset.square)));
  }

  build() {
    this.cells.clear();
    this.shown.clear();
    const rows = [];
    squaresInOrder(this.flipped).forEach((n, i) => {
      const kind = `cell ${((n >> 3) + n) & 1 ? 'a' : 'b'}${traps.includes(n) ? ' trap' : ''}`;
      const cell = this.options.play
        ? h('button', { class: kind, type: 'button', role: 'gridcell', tabIndex: n === this.here ? 0 : -1, 'data-square': square(n) })
        : h('div', { class: kind });
      this.cells.set(n, cell);
      if (i % 8 === 0) rows.push([]);
      rows[rows.length - 1].push(cell);
    });
    const cells = this.options.play ? rows.map((row) => h('div', { role: 'row', class: 'board-row' }, row)) : rows.flat();
    this.element.replaceChildren(...cells, this.options.small ? '' : this.coordinates(), this.layer);
    this.show(this.position);
  }

  /** coordinates names the ranks and files along two edges. */
  coordinates() {
    const names = [];
    for (let i = 0; i < 8; i++) {
      const n = this.flipped ? 7 - i : i;
      names.push(svg('text', { x: 5, y: 704 - 100 * i, class: 'rank' }, n + 1), svg('text', { x: 100 * i + 95, y: 794, class: 'file' }, 'abcdefgh'[n]));
    }
    return svg('svg', { class: 'names', viewBox: '0 0 800 800', 'aria-hidden': 'true' }, names);
  }

  /** flip turns the board so that Silver sits below. */
  flip(flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    this.build();
  }

  /** show puts the pieces of a board on the cells. */
  show(board) {
    this.position = board;
    for (const [n, cell] of this.cells) {
      const piece = at(board, n);
      if (this.shown.get(n) !== piece) {
        this.shown.set(n, piece);
        cell.querySelector('.piece')?.remove();
        if (piece) cell.append(pieceImage(piece));
      }
    }
    if (this.options.play) this.name();
  }

  /** name describes each cell in words. */
  name(extra = new Map()) {
    for (const [n, cell] of this.cells) {
      const more = extra.get(n);
      const words = `${square(n)}, ${pieceName(at(this.position, n))}${traps.includes(n) ? ', trap' : ''}${more ? ', ' + more : ''}`;
      if (cell.getAttribute('aria-label') !== words) cell.setAttribute('aria-label', words);
    }
  }

  /** mark gives cells their classes. @param {Record<string, Iterable<number>>} marks */
  mark(marks) {
    for (const name of ['can', 'chosen', 'goal', 'far', 'full', 'last', 'must']) {
      const on = new Set(marks[name] || []);
      for (const [n, cell] of this.cells) cell.classList.toggle(name, on.has(n));
    }
  }

  /**
   * arrows draws arrows, each with a width from 0 to 1 and perhaps a label in its middle.
   * @param {{from: number, to: number, width: number, kind?: string, label?: string}[]} list
   */
  arrows(list) {
    const shown = list.filter((a) => a.to >= 0 && a.to < 64);
    this.layer.replaceChildren(...shown.map((a) => {
      const [x1, y1] = this.middle(a.from);
      const [x2, y2] = this.middle(a.to);
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
      const w = 5 + 15 * Math.min(1, Math.max(0, a.width));
      const head = w * 1.1 + 13;
      const points = [[-12, w / 2], [length - head, w / 2], [length - head, w / 2 + 10], [length + 4, 0],
        [length - head, -w / 2 - 10], [length - head, -w / 2], [-12, -w / 2]];
      const d = points.map(([along, side], i) => {
        const from = along + 12 > 0 ? along : 0;
        return `${i ? 'L' : 'M'}${(x1 + ux * from - uy * side).toFixed(1)} ${(y1 + uy * from + ux * side).toFixed(1)}`;
      }).join(' ') + 'Z';
      return svg('path', { d, class: a.kind || '', 'fill-opacity': (0.45 + 0.5 * Math.min(1, a.width)).toFixed(2) });
    }), ...shown.filter((a) => a.label).map((a) => {
      const [[x1, y1], [x2, y2]] = [this.middle(a.from), this.middle(a.to)];
      const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
      return svg('g', { class: 'order' }, svg('circle', { cx: x, cy: y, r: 17 }), svg('text', { x, y: y + 8 }, a.label));
    }));
  }

  middle(n) {
    const [x, y] = [n & 7, 7 - (n >> 3)];
    return this.flipped ? [(7 - x) * 100 + 50, (7 - y) * 100 + 50] : [x * 100 + 50, y * 100 + 50];
  }

  /** squareOf returns the square under a point of the window, or -1. */
  squareOf(x, y) {
    const box = this.element.getBoundingClientRect();
    const [column, row] = [Math.floor(8 * (x - box.left) / box.width), Math.floor(8 * (y - box.top) / box.height)];
    if (column < 0 || column > 7 || row < 0 || row > 7) return -1;
    return squaresInOrder(this.flipped)[row * 8 + column];
  }

  /** walk moves the focus by the arrow keys. */
  walk(event) {
    const step = { ArrowUp: 8, ArrowDown: -8, ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.options.replay && !event.target.matches(':focus-visible')) return; // the keys are those of the replay
    event.preventDefault();
    const by = this.flipped ? -step : step;
    const to = this.here + by;
    if (to < 0 || to > 63 || (Math.abs(by) === 1 && (to >> 3) !== (this.here >> 3))) return;
    this.cells.get(to).focus();
  }

  /** reach makes a square the one that Tab reaches, and on which the keys act. */
  reach(n) {
    this.cells.get(this.here).tabIndex = -1;
    this.here = n;
    this.cells.get(n).tabIndex = 0;
  }
}

/**
 * dragging reports taps, drags and the Enter key on a board that is played on.
 * @param {Board} board
 * @param {{lift: (n: number) => boolean, tap: (n: number) => void, drop: (from: number, to: number) => void}} on
 *   lift: whether the piece on a square may be dragged
 * @returns {() => void} what ends it
 */
export function dragging(board, on) {
  const ended = new AbortController();
  const { signal } = ended;
  let start = null; // the pointer that is down
  let ghost = null;
  const end = () => {
    ghost?.remove();
    ghost = null;
    start = null;
  };
  const tap = (n) => {
    board.reach(n); // Safari does not focus it
    on.tap(n);
  };
  board.element.addEventListener('pointerdown', (e) => {
    if (e.button !== 0 || start) return;
    const n = board.squareOf(e.clientX, e.clientY);
    if (n < 0) return;
    start = { id: e.pointerId, n, x: e.clientX, y: e.clientY, moved: false };
  });
  window.addEventListener('pointermove', (e) => {
    if (!start || e.pointerId !== start.id) return;
    if (!start.moved && Math.hypot(e.clientX - start.x, e.clientY - start.y) > 6) {
      if (!at(board.position, start.n) || !on.lift(start.n)) return;
      start.moved = true;
      const size = board.cells.get(start.n).getBoundingClientRect().width;
      ghost = h('div', { class: 'drag' }, pieceImage(at(board.position, start.n)));
      ghost.style.width = ghost.style.height = `${size}px`;
      document.body.append(ghost);
      board.cells.get(start.n).classList.add('lifted');
    }
    if (ghost) {
      e.preventDefault();
      ghost.style.left = `${e.clientX}px`;
      ghost.style.top = `${e.clientY}px`;
    }
  }, { passive: false, signal });
  window.addEventListener('pointerup', (e) => {
    if (!start || e.pointerId !== start.id) return;
    const from = start;
    const n = board.squareOf(e.clientX, e.clientY);
    end();
    board.cells.get(from.n)?.classList.remove('lifted');
    if (from.moved) on.drop(from.n, n);
    else if (n === from.n) tap(n);
  }, { signal });
  window.addEventListener('pointercancel', () => {
    if (start) board.cells.get(start.n)?.classList.remove('lifted');
    end();
  }, { signal });
  board.element.addEventListener('keydown', (e) => {
    if ((e.key === 'Enter' || e.key === ' ') && e.target instanceof HTMLElement && e.target.classList.contains('cell')) {
      e.preventDefault();
      on.tap(board.here);
    }
  });
  board.element.addEventListener('click', (e) => { // of a screen reader or by voice; a pointer's has a detail
    if (e.detail > 0 || !(e.target instanceof Element)) return;
    const cell = e.target.closest('.cell');
    for (const [n, c] of board.cells) if (c === cell) tap(n);
  });
  board.element.addEventListener('keyup', (e) => { // Firefox clicks when the space bar goes up
    if (e.key === ' ' && e.target instanceof HTMLElement && e.target.classList.contains('cell')) e.preventDefault();
  });
  return () => { ended.abort(); end(); };
}
