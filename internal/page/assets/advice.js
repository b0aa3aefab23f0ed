// What a search or a network says about a position.

import { post } from './api.js';
import { button, h, replace } from './dom.js';
import { actionName, chance, counted, mixture, shares } from './notation.js';

/** share writes a probability. */
export const share = (p) => (p < 0.01 ? `${(100 * p).toFixed(1)}%` : `${Math.round(100 * p)}%`);

/** pips shows the steps left in a turn. */
export function pips(left) {
  if (!left) return null;
  return h('span', { class: 'pips', role: 'img', 'aria-label': `${counted(left, 'step')} left` }, [0, 1, 2, 3].map((i) => h('i', { class: i < left ? 'left' : '' })));
}

/** seen shows what the search or the network thought of a position, and what was played. */
export function seen(f, list, mode, mixed) {
  if (list.length === 0) return h('p', { class: 'muted' }, mode === 'search' ? 'Nothing was searched here.' : 'The network has not answered.');
  if (mode === 'search' && f.drawn) return h('p', { class: 'muted' }, `Nothing was searched here: the placement was drawn from the policy (${chance(f.value, mixed)}).`);
  const searched = mode === 'search';
  const target = new Map((f.policy || []).map(([a, s]) => [a, s]));
  const visits = new Map(shares(f.visits || []).map((v) => [v.action, v.share]));
  const top = list.slice(0, 8);
  if (!top.some((v) => v.action === f.action)) top.push(list.find((v) => v.action === f.action) || { action: f.action, share: searched ? 0 : f.prior || 0, count: 0 });
  const more = (v) => (searched ? target.has(v.action) && `, target ${share(target.get(v.action))}` : visits.has(v.action) && `, visits ${share(visits.get(v.action))}`) || '';
  const value = searched ? f.value : f.network;
  return h('section', { class: 'card' },
    h('div', { class: 'spread' }, h('h2', {}, searched ? 'What the search saw' : 'What the network thought'),
      h('span', { class: 'muted number' }, value === undefined ? '' : chance(value, mixed))),
    h('p', { class: 'muted' }, searched ? `${counted(list.reduce((s, v) => s + v.count, 0), 'visit')}, ${f.full ? 'a full search' : 'a quick search'}. The share of visits:` : 'Its priors, and what was played:'),
    bars(top.map((v) => ({ what: actionName(v.action, f.board), share: v.share, played: v.action === f.action, text: share(v.share) + more(v) }))));
}

/** bars draws shares as bars with their numbers. */
export function bars(rows) {
  return h('div', { class: 'bars' }, rows.map((r) => {
    const fill = h('div');
    fill.style.width = `${100 * r.share}%`;
    return [h('span', { class: 'what' }, r.what, r.played ? h('span', { class: 'played-mark' }, 'played') : null),
      h('div', { class: 'track' + (r.played ? ' played' : ''), 'aria-hidden': 'true' }, fill), h('span', { class: 'number' }, r.text)];
  }));
}

/** adviceView shows what a search found. show, if given, steps through the line that it expects. */
export function adviceView(a, show) {
  const all = a.total || 1;
  return h('div', { class: 'advice' },
    h('p', {}, h('b', {}, a.text || 'end the turn'), a.wins ? ', which wins at once' : ''),
    h('p', { class: 'muted number' }, `${chance(a.value, a.mixed)}; before it looked ahead, ${chance(a.network, a.mixed)}${a.mixed ? ` (${mixture})` : ''}`),
    h('p', { class: 'muted' }, 'Share of the visits, and the network’s prior:'),
    bars(a.steps.slice(0, 6).map((s) => ({ what: s.text, share: s.visits / all, text: `${Math.round(100 * s.visits / all)}%, prior ${Math.round(100 * s.prior)}%` }))),
    a.line ? h('p', { class: 'muted' }, 'Expected: ', h('span', {}, a.line)) : null,
    show && a.turn.length ? button('Show it on the board', () => show(a), { class: 'button small' }) : null);
}

/**
 * asking is a form that has one network or two search the position shown, which position
 * returns as a request has it. show steps through what a network expects. players is the answer with the networks.
 * @param {Promise<any>} players
 */
export function asking(players, position, show) {
  const element = h('div');
  const results = h('div', { class: 'compare' });
  let abort = null;
  players.then(({ networks }) => {
    if (networks.length === 0) {
      replace(element, h('p', { class: 'muted' }, 'There is no network here to ask.'));
      return;
    }
    const choose = (name, title, other, chosen) => h('label', { class: 'field' }, title, h('select', { name },
      other ? h('option', { value: '' }, 'nobody') : null, networks.map((n) => h('option', { value: n.id, selected: n.id === chosen }, n.title))));
    const form = h('form', { class: 'row' },
      choose('first', 'Network', false, networks[0].id), choose('second', 'compared with', true, ''),
      h('label', { class: 'field' }, 'Visits', h('select', { name: 'visits' }, [50, 200, 1000, 4000].map((n) => h('option', { value: n, selected: n === 200 }, n)))),
      h('button', { class: 'button primary', type: 'submit' }, 'Ask'));
    form.addEventListener('submit', async (e) => {
      e.preventDefault();
      abort?.abort();
      abort = new AbortController();
      const { signal } = abort;
      const data = new FormData(form);
      const ids = [data.get('first'), data.get('second')].filter(Boolean);
      const at = position();
      const boxes = ids.map((id) => h('div', {}, h('h3', {}, networks.find((n) => n.id === id).title), h('p', { class: 'muted' }, 'Thinking…')));
      replace(results, boxes);
      await Promise.all(ids.map(async (id, i) => {
        try {
          const a = await post('search', { ...at, network: id, visits: Number(data.get('visits')) }, signal);
          boxes[i].lastChild.replaceWith(adviceView(a, show));
        } catch (error) {
          if (error.name !== 'AbortError') boxes[i].lastChild.replaceWith(h('p', { class: 'problem' }, error.message));
        }
      }));
    });
    replace(element, form, results);
  }, (error) => replace(element, h('p', { class: 'problem' }, error.message)));
  return {
    element,
    moved: () => { abort?.abort(); replace(results); },
    close: () => abort?.abort(),
  };
}
