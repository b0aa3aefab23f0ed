// Light or dark, the menu, and the search. Without JavaScript the pages read as well, without a search.
'use strict';

const stored = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
const system = matchMedia('(prefers-color-scheme: dark)');
const theme = () => document.documentElement.classList.toggle('dark', stored() ? stored() === 'dark' : system.matches);
theme();
system.addEventListener('change', theme);

const frequent = new Set(('a an and are as at be by can did do does for from get has have how i if in is it me my not of on or out so '
  + 'that the there this to was what when where which who why will with you your').split(' '));

/** terms returns the words of a question that a page can be about: all of them if there are no others. */
function terms(question) {
  const all = question.toLowerCase().split(/\s+/).map((w) => w.replace(/^[^\p{L}\p{N}-]+|[^\p{L}\p{N}]+$/gu, '')).filter(Boolean);
  const rare = all.filter((w) => !frequent.has(w));
  return rare.length > 0 ? rare : all;
}

// What people call a thing that the documents call otherwise.
const alike = {
  gpu: ['graphics'], cuda: ['graphics'], computer: ['machine'], computers: ['machine'], pc: ['machine'], several: ['many'], multiple: ['many'],
  resume: ['continue'], continue: ['resume'], pause: ['stop'], restart: ['continue'], crash: ['killed', 'damaged'],
  stuck: ['still'], hangs: ['still'], fall: ['still'], error: ['wrong'],
  win: ['aim'], goal: ['aim'], tie: ['repetition'], undo: ['take back'], hint: ['advice'], difficulty: ['level'], ai: ['network'], model: ['network'],
  ram: ['memory'], storage: ['disk'], bot: ['engine'],
};

/** stem returns a word without an ending of its inflections. */
function stem(word) {
  for (const end of ['ing', 'ed', 'es', 's', 'e']) {
    if (word.endsWith(end) && word.length - end.length >= 4) return word.slice(0, -end.length);
  }
  return word;
}

const inflected = /^(?:e|s|es|ed|ing)?$/;

/**
 * fit tells how well a text has a word: 1 as a whole, 0.9 inflected, 0.7 as a part of a name or at the beginning of
 * another word, 0.2 within another, 0 nowhere.
 */
function fit(text, word) {
  const letter = (c) => c !== undefined && /[\p{L}\p{N}]/u.test(c);
  const root = stem(word);
  let best = 0;
  for (let at = text.indexOf(root); at >= 0 && best < 1; at = text.indexOf(root, at + 1)) {
    let end = at + root.length;
    while (letter(text[end])) end++;
    const found = text.slice(at, end);
    const whole = found === word || found === word + 's' ? 1 : inflected.test(found.slice(root.length)) ? 0.9 : 0.7;
    best = Math.max(best, letter(text[at - 1]) ? 0.2 : /[._]/.test(text[at - 1]) ? 0.7 : whole);
  }
  return best;
}

/** close is fit for a word or, almost as well, what the documents call it. */
function close(text, word) {
  return Math.max(fit(text, word), ...(alike[word] ?? []).map((other) => 0.9 * fit(text, other)));
}

/** rarity tells for each word how few sections have it, from about 0.2 to 1. */
function rarity(words) {
  const all = window.sections.length;
  return words.map((word) => {
    const having = window.sections.filter(([, , , heading, text]) => close(`${heading} ${text}`.toLowerCase(), word) >= 0.7).length;
    return Math.max(0.2, 1 - Math.log(1 + having) / Math.log(1 + all));
  });
}

/** worth tells how likely a page is to be what somebody looks for. */
function worth(path, named) {
  if (/^(research|changelog|architecture|climb)/.test(path)) return 0.5; // for those who change the program
  if (path === 'reference/settings.html' && !named) return 0.5;
  if (/^reference\/rules/.test(path)) return 2.5;
  if (/^how-to\/troubleshooting/.test(path)) return 2;
  return /^(tutorials|how-to)/.test(path) ? 1.5 : 1;
}

/** score tells how well a section fits the words: 0 if it has none of them, and little if it lacks a rare one. */
function score([path, , title, heading, text], words, rare) {
  const alone = words.length === 1;
  const inText = !alone ? 2 : path === 'reference/glossary.html' ? 9 : path === 'reference/rules.html' ? 3.7 : 2;
  let sum = 0, had = 0;
  words.forEach((word, i) => {
    const [t, h, x] = [title, heading, text].map((s) => close(s.toLowerCase(), word));
    if (Math.max(t, h, x) > 0) had += rare[i];
    sum += rare[i] * ((alone ? 10 : 8) * h + 4 * t + inText * x + (heading.toLowerCase() === word ? (alone ? 20 : 8) : 0));
  });
  had /= rare.reduce((a, b) => a + b);
  return sum * had ** 3 * worth(path, words.some((w) => /[._]/.test(w)));
}

/** matches returns the sections that fit a question, the best first. */
function matches(question) {
  const words = terms(question), rare = rarity(words);
  return window.sections.map((s) => [score(s, words, rare), s]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]).slice(0, 12).map(([, s]) => s);
}

/** extract returns the text around the first of the words. */
function extract(text, words) {
  const at = Math.max(0, Math.min(...words.map((w) => text.toLowerCase().indexOf(stem(w))).filter((i) => i >= 0), text.length) - 50);
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
    if (all.length === 0) found.replaceChildren(element('p', 'Nothing has any of these words.'));
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
