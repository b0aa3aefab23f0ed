// Links that hold a game or a position, and the text of both. A link has everything in its
// fragment, which a browser keeps to itself: #/study/ACTIONS/STEP/BEGINNING.

import { button, h, say, unfolding } from './dom.js';

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** pack writes numbers below 4096, two characters each, and no numbers as '-'. */
export const pack = (numbers) => numbers.map((n) => digits[n >> 6] + digits[n & 63]).join('') || '-';

/** unpack reads what pack has written. It throws an error at anything else. */
export function unpack(text) {
  if (text === '-') return [];
  if (!text || text.length % 2 || [...text].some((c) => !digits.includes(c))) throw new Error('This link is damaged: a part of it is missing or was changed.');
  return text.match(/../g).map(([a, b]) => digits.indexOf(a) * 64 + digits.indexOf(b));
}

/**
 * fragment writes a game, and which of its steps is shown.
 * @param {{actions: number[], missing?: number[], position?: string}} game
 */
export function fragment(game, at) {
  let beginning = '';
  if (game.position) {
    const [, side, board] = /^\s*(\S+)\s*\[(.*)\]/.exec(game.position);
    beginning = `/${side[0]}${board.replaceAll(' ', '.')}`;
  } else if (game.missing?.length) beginning = `/x${pack(game.missing)}`;
  return `#/study/${pack(game.actions)}/${at}${beginning}`;
}

/** shared reads the words of a fragment after the first. @returns {{actions: number[], missing: number[], position: string, at: number|undefined}} */
export function shared([actions = '-', at, beginning = '']) {
  const rest = beginning.slice(1);
  return {
    actions: unpack(actions), at: at === undefined ? undefined : Number(at) || 0,
    missing: beginning[0] === 'x' ? unpack(rest) : [],
    position: beginning && beginning[0] !== 'x' ? `${beginning[0]} [${rest}]` : '',
  };
}

/** linkTo names a link to something that is opened at the given host. */
export function linkTo(what, host) {
  const mine = /^(localhost|127\.[\d.]+|\[::1\])$/.test(host);
  return mine ? `Link to ${what} (works on this computer only)` : `Link to ${what}`;
}

/** copied copies a text, and says on a button whether it could. */
async function copied(copy, text) {
  try {
    await navigator.clipboard.writeText(text);
    copy.textContent = 'Copied';
    say('Copied');
  } catch {
    copy.textContent = 'Copy it from the field';
  }
  setTimeout(() => { copy.textContent = 'Copy'; }, 2000);
}

/**
 * sharing shows texts to copy. texts returns them when it is opened, and refresh asks again.
 * @param {() => Promise<[string, string][]>} texts names and texts
 */
export const sharing = (texts) => unfolding('Share', async () => (await texts()).map(([name, text]) => {
  const field = h('input', { type: 'text', readOnly: true, value: text, onfocus: (e) => e.target.select() });
  return h('div', { class: 'copy' }, h('label', { class: 'field' }, name, field),
    button('Copy', (e) => { field.select(); copied(e.currentTarget, text); }, { 'aria-label': `Copy: ${name}` }));
}));
