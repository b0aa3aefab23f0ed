// Light or dark, the menu, and the search. Without JavaScript the pages read as well, without a search.
'use strict';

const stored = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
const system = matchMedia('(prefers-color-scheme: dark)');
const theme = () => document.documentElement.classList.toggle('dark', stored() ? stored() === 'dark' : system.matches);
theme();
system.addEventListener('change', theme);

/** score tells how well a section fits the words: 0 if one of them is missing. */
function score([, , title, heading, text], words) {
  let sum = 0;
  for (const word of words) {
    const [t, h, x] = [title, heading, text].map((s) => s.toLowerCase().indexOf(word));
    if (t < 0 && h < 0 && x < 0) return 0;
    sum += (h >= 0 ? 8 : 0) + (t >= 0 ? 4 : 0) + (x >= 0 ? 1 : 0);
    if (heading.toLowerCase() === word) sum += 20;
  }
  return sum;
}

/** extract returns the text around the first of the words. */
function extract(text, words) {
  const at = Math.max(0, Math.min(...words.map((w) => text.toLowerCase().indexOf(w)).filter((i) => i >= 0), text.length) - 50);
  return (at > 0 ? '…' : '') + text.slice(at, at + 140) + (text.length > at + 140 ? '…' : '');
}

/** load defines window.sections, once. */
let loading = null;
function load(root) {
  loading ??= new Promise((done, fail) => {
    const script = document.createElement('script');
    script.src = root + 'index.js';
    script.onload = done;
    script.onerror = fail;
    document.head.append(script);
  });
  return loading;
}

function element(tag, text, ...children) {
  const e = document.createElement(tag);
  e.append(...(text ? [text] : []), ...children);
  return e;
}

function search(input, found, root) {
  const show = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.hidden = words.length === 0;
    if (found.hidden) return;
    await load(root);
    const all = window.sections.map((s) => [score(s, words), s]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]).slice(0, 12);
    found.replaceChildren(...all.map(([, [path, id, title, heading, text]]) => {
      const a = element('a', heading === title ? title : `${title}: ${heading}`, element('small', extract(text, words)));
      a.href = root + path + '#' + id;
      return a;
    }));
    if (all.length === 0) found.replaceChildren(element('p', 'Nothing has all of these words.'));
  };
  input.addEventListener('input', show);
  input.addEventListener('focus', show);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') found.querySelector('a')?.click();
    if (event.key === 'ArrowDown') { found.querySelector('a')?.focus(); event.preventDefault(); }
  });
  found.addEventListener('keydown', (event) => {
    const to = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
    if (to) { (document.activeElement[to] ?? input).focus(); event.preventDefault(); }
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement === document.body) { input.focus(); event.preventDefault(); }
    if (event.key === 'Escape') found.hidden = true;
  });
  document.addEventListener('click', (event) => { if (!event.target.closest('.search')) found.hidden = true; });
}

addEventListener('DOMContentLoaded', () => {
  const wide = matchMedia('(min-width: 901px)');
  const menu = document.getElementById('menu');
  const open = () => { menu.open = wide.matches; };
  wide.addEventListener('change', open);
  open();
  document.getElementById('theme').addEventListener('click', () => {
    try { localStorage.setItem('theme', document.documentElement.classList.contains('dark') ? 'light' : 'dark'); } catch { return; }
    theme();
  });
  search(document.getElementById('search'), document.getElementById('found'), document.body.dataset.root);
  document.querySelector('.pages [aria-current]')?.scrollIntoView({ block: 'nearest' });
});
