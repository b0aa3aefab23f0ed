// Making elements, without any HTML in strings.

const svgSpace = 'http://www.w3.org/2000/svg';

/**
 * h returns an element. Properties that begin with "on" are listeners; "class"
 * and names with a dash are attributes; the others are properties of the element.
 * @param {string} tag
 * @param {Record<string, any>=} props
 * @param {...(Node|string|number|null|undefined|false|any[])} children
 * @returns {any}
 */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children, false);
}

/** button returns a button that calls f. */
export const button = (content, f, props) => h('button', { class: 'button', type: 'button', onclick: f, ...props }, content);

/** svg is h for SVG. @returns {any} */
export function svg(tag, props, ...children) {
  return fill(document.createElementNS(svgSpace, tag), props, children, true);
}

function fill(element, props, children, attributes) {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (attributes || key === 'class' || key === 'role' || key === 'for' || key.includes('-')) element.setAttribute(key, value === true ? '' : value);
    else element[key] = value;
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** replace makes children the only content of element. */
export function replace(element, ...children) {
  element.replaceChildren();
  add(element, children);
}

let held = null; // the control that had the focus when it was last drawn anew

/** redraw replaces the content of element. The control in it that had the focus has it again, once it can be used. */
export function redraw(element, ...children) {
  const alike = (text) => [...element.querySelectorAll('a, button, input, summary')].filter((x) => x.textContent === text);
  const { activeElement: focused, body } = document;
  if (element.contains(focused)) held = { element, text: focused.textContent, n: alike(focused.textContent).indexOf(focused) };
  else if (focused !== body) held = null;
  replace(element, ...children);
  if (held?.element === element) alike(held.text)[held.n]?.focus({ preventScroll: true });
}

/**
 * unfolding returns details whose content is asked for when they are opened, and again by refresh. Only the last answer is shown.
 * @param {() => Promise<any>} ask returns the content
 */
export function unfolding(title, ask) {
  const summary = h('summary', {}, title);
  const box = h('div', { class: 'stack tight' });
  const element = h('details', {}, summary, box);
  let last = 0;
  const refresh = async () => {
    if (!element.open) return;
    const mine = ++last;
    const content = await ask().catch((error) => h('p', { class: 'problem' }, error.message));
    if (mine === last) replace(box, content);
  };
  element.addEventListener('toggle', refresh);
  return { element, summary, refresh };
}

/** fileChooser chooses a text file, and gives its content to take. */
export const fileChooser = (take) => h('label', { class: 'button' }, 'Choose a file', h('input', { type: 'file', class: 'visually-hidden', accept: '.txt,text/plain',
  onchange: async (e) => { if (e.target.files[0]) take((await e.target.files[0].text()).slice(0, 500000)); } }));

/** say tells those who listen to the page what has happened. */
export function say(text) {
  document.getElementById('status').textContent = text;
}

/** download offers a blob as a file. */
export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  const a = h('a', { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const kept = new Map(); // what the browser does not keep

/**
 * remember keeps a text in this browser, or until the page is closed if the browser does not allow it.
 * @param {'localStorage'|'sessionStorage'} store sessionStorage keeps it for this tab alone
 */
export function remember(key, value, store = 'localStorage') {
  kept.delete(store + key);
  try {
    if (value === null) window[store].removeItem('warren.' + key);
    else window[store].setItem('warren.' + key, value);
  } catch {
    kept.set(store + key, value);
  }
}

/** rememberHere keeps a text for this tab, which may have another than the others, and for the next new tab. */
export function rememberHere(key, value) {
  remember(key, value, 'sessionStorage');
  remember(key, value);
}

/** recall returns what was kept, or null. */
export function recall(key, store = 'localStorage') {
  if (kept.has(store + key)) return kept.get(store + key);
  try {
    return window[store].getItem('warren.' + key);
  } catch {
    return null;
  }
}

/** recallHere returns what this tab kept, or else the last that any tab kept, or null. */
export const recallHere = (key) => recall(key, 'sessionStorage') ?? recall(key);

/** recallObject returns what was kept as JSON, or an empty object. */
export function recallObject(key, store = 'localStorage') {
  try {
    return JSON.parse(recall(key, store)) || {};
  } catch {
    return {};
  }
}
