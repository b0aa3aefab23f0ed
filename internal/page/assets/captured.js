// The pieces that the sides have lost, and who is ahead.

import { h, replace } from './dom.js';
import { captured, isGold, pieceName } from './notation.js';
import { pieceImage } from './pieces.js';

/**
 * captures shows the pieces that a side has captured of the other.
 * @param {'gold'|'silver'} side
 */
export function captures(side) {
  const element = h('span', { class: 'captures', role: 'img' });
  return {
    element,
    /** update shows how a board stands of the pieces that the game began with. */
    update(pieces, board) {
      const all = captured(pieces, board);
      const taken = [...all].filter((p) => isGold(p) !== (side === 'gold'));
      const ahead = 2 * taken.length - all.length;
      replace(element, taken.map(pieceImage), ahead > 0 ? h('b', { class: 'number' }, `+${ahead}`) : null);
      element.setAttribute('aria-label', taken.length === 0 ? `${side} has captured nothing`
        : `${side} has captured ${taken.map((p) => pieceName(p)).join(', ')}${ahead > 0 ? `, and is ahead by ${ahead}` : ''}`);
    },
  };
}
