// The settings of the runs that are shown: those that differ, or all of a single run.

import { get } from './api.js';
import { h, unfolding } from './dom.js';

/**
 * differing returns the settings whose values are not the same in all lists, with a value for each.
 * A setting that a list lacks has the value undefined there.
 * @param {{key: string, value: string}[][]} lists
 */
export function differing(lists) {
  const maps = lists.map((list) => new Map(list.map((s) => [s.key, s.value])));
  const keys = [...new Set(lists.flatMap((list) => list.map((s) => s.key)))];
  return keys.map((key) => ({ key, values: maps.map((m) => m.get(key)) })).filter(({ values }) => lists.length < 2 || values.some((v) => v !== values[0]));
}

/** settingsOf shows the settings of runs, which shown returns, when it is opened. */
export function settingsOf(shown) {
  const { element, summary, refresh } = unfolding('Settings', async () => {
    const runs = shown();
    const rows = differing(await Promise.all(runs.map((r) => get(`runs/${r.id}/settings`))));
    if (rows.length === 0) return h('p', { class: 'muted' }, 'These runs have the same settings.');
    return h('div', { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': summary.textContent }, h('table', {},
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'setting'), runs.map((r) => h('th', { scope: 'col' }, r.name)))),
      h('tbody', {}, rows.map(({ key, values }) => h('tr', {}, h('th', { scope: 'row' }, key), values.map((v) => h('td', {}, v ?? '(none)')))))));
  });
  return {
    element,
    refresh: () => {
      const { length } = shown();
      element.hidden = length === 0;
      summary.textContent = length > 1 ? 'Settings that differ' : 'Settings';
      refresh();
    },
  };
}
