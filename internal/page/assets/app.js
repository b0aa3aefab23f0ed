// The frame of the page: which part is shown, light or dark, the token.

import { post, start } from './api.js';
import { h, recall, remember, replace, svg } from './dom.js';
import { games } from './games.js';
import { learning } from './learning.js';
import { matches } from './matches.js';
import { drawPieces } from './pieces.js';
import { play } from './play.js';
import { puzzles } from './puzzles.js';
import { analysis, matchReplay, replay, study } from './replay.js';
import { rules } from './rules.js';

/**
 * Parts of the page, by the first word of the address. A part fills the main
 * element and returns what ends it.
 * @type {Record<string, {title: string, nav: string, show: (main: HTMLElement, words: string[]) => (() => void)|void}>}
 */
const parts = {
  learning: { title: 'Is it learning?', nav: 'learning', show: learning },
  games: { title: 'Games', nav: 'games', show: games },
  game: { title: 'A game', nav: 'games', show: replay },
  matches: { title: 'Match games', nav: 'games', show: matches },
  match: { title: 'A match game', nav: 'games', show: matchReplay },
  analysis: { title: 'A game of your own', nav: 'games', show: analysis },
  study: { title: 'A shared game', nav: 'games', show: study },
  play: { title: 'Play', nav: 'play', show: play },
  puzzles: { title: 'Puzzles', nav: 'puzzles', show: puzzles },
  rules: { title: 'The rules', nav: 'rules', show: rules },
};

let leave = null;
let arrived = false; // whether a part has been shown

function go() {
  const asked = location.hash.replace(/^#\/?/, '').split('?')[0].split('/').filter(Boolean);
  const words = Object.hasOwn(parts, asked[0]) ? asked : start.split('/');
  const part = parts[words[0]];
  leave?.();
  leave = null;
  document.title = `${part.title} · Warren`;
  for (const a of document.querySelectorAll('.bar nav a')) {
    if (a.getAttribute('href') === '#/' + part.nav) a.setAttribute('aria-current', 'page');
    else a.removeAttribute('aria-current');
  }
  const main = document.getElementById('main');
  replace(main);
  window.scrollTo(0, 0);
  leave = part.show(main, words.slice(1)) || null;
  if (arrived) main.focus({ preventScroll: true }); // what had the focus may be gone
  arrived = true;
}

/** theme sets light or dark, as the system has it unless the visitor chose. */
function theme() {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const button = document.getElementById('theme');
  const set = () => {
    const chosen = recall('theme');
    const dark = chosen ? chosen === 'dark' : system.matches;
    root.classList.toggle('dark', dark);
    button.setAttribute('aria-label', dark ? 'Light page' : 'Dark page');
    replace(button, svg('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('path', {
      d: dark ? 'M10 5a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM9 0h2v3H9zM9 17h2v3H9zM0 9h3v2H0zM17 9h3v2h-3zM2.2 3.6l1.4-1.4 2.1 2.1-1.4 1.4zM14.3 15.7l1.4-1.4 2.1 2.1-1.4 1.4zM2.2 16.4l2.1-2.1 1.4 1.4-2.1 2.1zM14.3 4.3l2.1-2.1 1.4 1.4-2.1 2.1z'
        : 'M17.6 12.6A8 8 0 0 1 7.4 2.4 8 8 0 1 0 17.6 12.6z',
    })));
    window.dispatchEvent(new Event('theme')); // what is drawn must be drawn anew
  };
  system.addEventListener('change', set);
  button.addEventListener('click', () => {
    remember('theme', root.classList.contains('dark') ? 'light' : 'dark');
    set();
  });
  set();
}

/** enter shows the token of the address to the program, and takes it out of the address. */
async function enter() {
  const [where, token] = location.hash.split('?token=');
  if (!token) return;
  history.replaceState(null, '', location.pathname + (where || '#/'));
  try {
    await post('enter', { token });
  } catch (error) {
    replace(document.getElementById('main'), h('p', { class: 'problem' }, error.message));
    throw error;
  }
}

drawPieces();
if (start !== 'learning') { // there are no runs
  for (const part of ['learning', 'games', 'game', 'matches', 'match']) delete parts[part];
  document.querySelectorAll('.of-runs').forEach((a) => a.remove());
}
document.documentElement.classList.toggle('letters', recall('letters') === 'on');
theme();
document.querySelector('.skip').addEventListener('click', (e) => {
  e.preventDefault();
  document.getElementById('main').focus();
});
const arrive = () => enter().then(go, () => {}); // enter says what is wrong
window.addEventListener('hashchange', arrive);
arrive();
