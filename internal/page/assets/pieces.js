// The pieces, drawn in a square of 48. Gold stands on a round coin and Silver on a
// tile with corners, so that form tells the sides apart where colour does not. In
// a drawing, 'ink' is dark and 'paper' is the colour of the coin.

import { svg } from './dom.js';

const ink = (tag, props) => svg(tag, { class: 'ink', ...props });
const paper = (tag, props) => svg(tag, { class: 'paper', ...props });
const line = (d, props) => svg('path', { class: 'line', d, ...props });
const cut = (d, props) => svg('path', { class: 'cut', d, ...props });

const drawings = {
  e: () => [
    ink('path', { d: 'M17 13 C9 8 3.5 14 5 22 C6 29 11 32 16 29Z' }),
    ink('path', { d: 'M31 13 C39 8 44.5 14 43 22 C42 29 37 32 32 29Z' }),
    svg('path', { class: 'ink rim', d: 'M24 9 C31 9 34.5 14 34 20 C33.6 25 31 27 29.4 29 C28.6 33 28.8 35.5 30 37.4 C31.4 39 33.6 38 33.6 36 L36.6 36 C37 41 32 43.2 28.6 41.4 C24.6 39.4 23.6 35 23 31 C21 31 19.6 30.4 18.6 29 C17 27 14.4 25 14 20 C13.5 14 17 9 24 9Z' }),
    cut('M18.6 29.4 C18 32.6 16.6 34.6 14.4 35.6'),
    paper('circle', { cx: 19.4, cy: 19, r: 1.8 }), paper('circle', { cx: 28.6, cy: 19, r: 1.8 }),
    line('M18.2 30 C17.6 33 16.4 35 14 36.4', { 'stroke-width': 2.2 }),
  ],
  m: () => [
    ink('path', { d: 'M7.4 26 C7.6 22.4 9.6 21.6 11 18.6 C12.6 13.4 16.4 13.4 18 18.6 C18.8 21 20.4 21 21.2 18.6 C22.8 13 27 13 28.6 18.8 C29.4 22.4 31.4 23.6 33 21.8 C34.6 19.6 33.8 14 35.2 11.2 C35.6 9.4 36.6 8.2 37.4 9.6 C40.6 9.6 43 11.4 43.4 13.6 C43.4 15.4 42 15.8 40 15.4 L38.6 15.6 C38.4 21.6 37.6 27 32.6 29.6 L32.8 40 L29.6 40 L28.6 31.6 L27 31.4 L26.4 40 L23.4 40 L23.2 31 L16.2 31 L15.4 40 L12.4 40 L12.2 31.6 L11 31.4 L10.2 40 L7 40 Z' }),
    paper('circle', { cx: 38, cy: 12.4, r: 1.1 }),
    cut('M12.6 22.4 C14 23.6 15.6 23.6 17 22.4', { 'stroke-width': 1.3 }), cut('M22.8 22.4 C24.2 23.6 25.8 23.6 27.2 22.4', { 'stroke-width': 1.3 }),
  ],
  h: () => [
    ink('path', { d: 'M13.6 40 C13.8 33 19.6 30 20.8 25.4 C17.6 26.2 16 29.6 12.8 29.2 C9.4 28.8 8.4 25 10.2 22.6 C13 19.4 13.4 14.6 17.4 11.4 L17.6 6.2 L22 9.4 C31.6 9.2 38 16.4 38 27 C38 32 37.2 36 37.2 40 Z' }),
    paper('circle', { cx: 19, cy: 16.6, r: 1.7 }), paper('circle', { cx: 12.6, cy: 25.2, r: 1 }),
    cut('M25.4 12.6 C31.6 15.6 33.6 22 33 30.4'), cut('M28.4 21.4 C29.4 25.4 29 29.4 27.6 33'),
  ],
  d: () => [
    svg('path', { class: 'ink', d: 'M24 8.6 C32 8.6 35 13 35 21 C35 26 34 29 33 32 C31.6 37.4 28 40 24 40 C20 40 16.4 37.4 15 32 C14 29 13 26 13 21 C13 13 16 8.6 24 8.6Z' }),
    svg('path', { class: 'ink rim', d: 'M16.4 10 C9.4 9.4 6 15 5.4 22 C5 28 7.6 32 10.4 31 C14.2 29.4 14.4 22 18.6 14.4 C19.6 12.2 18.6 10.2 16.4 10Z' }),
    svg('path', { class: 'ink rim', d: 'M31.6 10 C38.6 9.4 42 15 42.6 22 C43 28 40.4 32 37.6 31 C33.8 29.4 33.6 22 29.4 14.4 C28.4 12.2 29.4 10.2 31.6 10Z' }),
    paper('circle', { cx: 19.8, cy: 21.4, r: 1.9 }), paper('circle', { cx: 28.2, cy: 21.4, r: 1.9 }),
    paper('ellipse', { cx: 24, cy: 31.4, rx: 6.4, ry: 5.6 }),
    ink('path', { d: 'M20.6 28.4 C20.6 26.8 27.4 26.8 27.4 28.4 C27.4 30.4 25.2 31.6 24 31.6 C22.8 31.6 20.6 30.4 20.6 28.4Z' }),
    line('M24 31 V33.4 M20.8 34 C22 35.4 23.6 35 24 33.6 C24.4 35 26 35.4 27.2 34', { 'stroke-width': 1.3 }),
  ],
  c: () => [
    ink('path', { d: 'M9.4 7.6 C13 8.6 16.6 11 18.8 13.6 C22 12.6 26 12.6 29.2 13.6 C31.4 11 35 8.6 38.6 7.6 C39.8 13 39.6 18 38.4 21.6 C39.2 31.6 32.6 38.4 24 38.4 C15.4 38.4 8.8 31.6 9.6 21.6 C8.4 18 8.2 13 9.4 7.6Z' }),
    paper('path', { d: 'M14.2 22.4 C16 19.6 19.6 20 20.8 23.8 C18.6 25.8 15.4 25.2 14.2 22.4Z' }), paper('path', { d: 'M33.8 22.4 C32 19.6 28.4 20 27.2 23.8 C29.4 25.8 32.6 25.2 33.8 22.4Z' }),
    paper('path', { d: 'M22 28.4 H26 L24 30.8Z' }),
    cut('M24 30.6 V32.4 M20.6 33.4 C22 34.8 23.6 34.4 24 32.6 C24.4 34.4 26 34.8 27.4 33.4', { 'stroke-width': 1.3 }),
    cut('M10.8 28.4 L18.4 29.6 M11.6 33 L18.6 31.6 M37.2 28.4 L29.6 29.6 M36.4 33 L29.4 31.6', { 'stroke-width': 1.2 }),
  ],
  r: () => [
    ink('path', { d: 'M21.6 23 C15.4 19 12.8 10.6 14 5.6 C14.8 2.8 18 3.2 19.6 6.4 C21.8 10.8 23 16 23.4 22Z' }),
    ink('path', { d: 'M26.4 23 C32.6 19 35.2 10.6 34 5.6 C33.2 2.8 30 3.2 28.4 6.4 C26.2 10.8 25 16 24.6 22Z' }),
    cut('M17.2 8 C17.2 12 18.6 16.4 20.6 19', { 'stroke-width': 1.6 }), cut('M30.8 8 C30.8 12 29.4 16.4 27.4 19', { 'stroke-width': 1.6 }),
    ink('path', { d: 'M24 19.6 C31 19.6 35.2 24.6 35.2 30.2 C35.2 36.4 30 39.8 24 39.8 C18 39.8 12.8 36.4 12.8 30.2 C12.8 24.6 17 19.6 24 19.6Z' }),
    paper('circle', { cx: 19, cy: 27.6, r: 1.9 }), paper('circle', { cx: 29, cy: 27.6, r: 1.9 }),
    paper('path', { d: 'M22 31 H26 L24 33Z' }), paper('path', { d: 'M22.2 34.4 H25.8 V38 H22.2Z' }),
    cut('M11 31.6 L17.4 32.4 M37 31.6 L30.6 32.4', { 'stroke-width': 1.2 }),
  ],
};

const coin = {
  gold: () => svg('circle', { class: 'coin', cx: 24, cy: 24, r: 22 }),
  silver: () => svg('path', { class: 'coin', d: 'M10 3 H38 L45 10 V38 L38 45 H10 L3 38 V10Z' }),
};

/** letter is the badge with the piece's letter. */
function letter(piece) {
  return svg('g', { class: 'badge' }, svg('circle', { cx: 39, cy: 39, r: 8 }), svg('text', { x: 39, y: 43.2 }, piece));
}

/** drawPieces puts the drawings of all pieces into the document, once. */
export function drawPieces() {
  const symbols = [];
  for (const kind of Object.keys(drawings)) {
    for (const side of ['gold', 'silver']) {
      const piece = side === 'gold' ? kind.toUpperCase() : kind;
      symbols.push(svg('symbol', { id: 'piece-' + piece, viewBox: '0 0 48 48' },
        svg('g', { class: 'figure ' + side }, coin[side](), drawings[kind](), letter(piece))));
    }
  }
  document.body.prepend(svg('svg', { class: 'visually-hidden', 'aria-hidden': 'true', width: 0, height: 0 }, svg('defs', {}, symbols)));
}

/** pieceImage is the drawing of a piece. */
export function pieceImage(piece) {
  return svg('svg', { class: 'piece', viewBox: '0 0 48 48', 'aria-hidden': 'true' }, svg('use', { href: '#piece-' + piece }));
}
