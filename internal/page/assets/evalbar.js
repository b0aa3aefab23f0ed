// The bar beside a board: a value, as a height and as a number.

import { h } from './dom.js';
import { chance, mixture, worth } from './notation.js';

/** evalbar always has its place, so that a board does not move when a value comes or goes. */
export function evalbar() {
  const fill = h('div');
  const number = h('span', { class: 'number', 'aria-hidden': 'true' });
  const element = h('div', { class: 'evalbar none', role: 'img', 'aria-label': 'No value' }, fill, number);
  return {
    element,
    /** show shows Gold's value, and nothing without one. */
    show(value, mixed) {
      element.classList.toggle('none', value === undefined);
      if (value === undefined) element.setAttribute('aria-label', 'No value');
      else {
        fill.style.height = `${100 * value}%`;
        element.setAttribute('aria-label', chance(value, mixed));
      }
      number.textContent = value === undefined ? '' : worth(value, mixed).replace(/%|^0(?=\.)/, '');
      element.title = value === undefined ? '' : chance(value, mixed) + (mixed ? `: ${mixture}` : '');
    },
  };
}
