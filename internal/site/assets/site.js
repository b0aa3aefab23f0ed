// Light or dark, the menu, and the search. Without JavaScript the pages read as well, without a search.
'use strict';

const stored = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
const system = matchMedia('(prefers-color-scheme: dark)');
const theme = () => document.documentElement.classList.toggle('dark', stored() ? stored() === 'dark' : system.matches);
theme();
system.addEventListener('change', theme);

const frequent = new Set(('a an and are as at be by can did do does for from get has have how i if in is it me my of on or so that the '
  + 'there this to was what when where which who why will with you your').split(' '));

/** terms returns the words of a question that a page can be about: all of them if there are no others. */
function terms(question) {
  const all = question.toLowerCase().split(/\s+/).map((w) => w.replace(/^[^\p{L}\p{N}-]+|[^\p{L}\p{N}]+$/gu, '')).filter(Boolean);
  const rare = all.filter((w) => !frequent.has(w));
  return rare.length > 0 ? rare : all;
}

/** fit tells how well a text has a word: 1 as a whole, 0.7 as a part of a name or at the beginning of another word, 0.2 within another, 0 nowhere. */
function fit(text, word) {
  const letter = (c) => c !== undefined && /[\p{L}\p{N}]/u.test(c);
  let best = 0;
  for (let at = text.indexOf(word); at >= 0 && best < 1; at = text.indexOf(word, at + 1)) {
    const next = at + word.length;
    const end = text[next] === 's' ? next + 1 : next; // a plural is the same word
    best = Math.max(best, letter(text[at - 1]) ? 0.2 : /[._]/.test(text[at - 1]) || letter(text[end]) ? 0.7 : 1);
  }
  return best;
}

/** score tells how well a section fits the words: 0 if one of them is missing. */
function score([path, , title, heading, text], words) {
  const defines = path === 'reference/glossary.html' ? 9 : 2;
  let sum = 0;
  for (const word of words) {
    const [t, h, x] = [title, heading, text].map((s) => fit(s.toLowerCase(), word));
    if (t + h + x === 0) return 0;
    sum += 8 * h + 4 * t + defines * x + (heading.toLowerCase() === word ? 20 : 0);
  }
  return /^(research|changelog|architecture|climb)/.test(path) ? sum / 2 : sum; // for those who change the program
}

/** matches returns the sections that fit a question, the best first. */
function matches(question) {
  const words = terms(question);
  return window.sections.map((s) => [score(s, words), s]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]).slice(0, 12).map(([, s]) => s);
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
    const words = terms(input.value);
    found.hidden = words.length === 0;
    if (found.hidden) return;
    await load(root);
    const all = matches(input.value);
    found.replaceChildren(...all.map(([path, id, title, heading, text]) => {
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
