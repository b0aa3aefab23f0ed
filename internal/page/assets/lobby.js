// The lobby: who to play against, and how.

import { get, post } from './api.js';
import { controls } from './clock.js';
import { fileChooser, h, recallObject, remember, replace } from './dom.js';
import { signed } from './notation.js';
import { beginning, picture } from './rules.js';

/** handicaps are the pieces that a side can play without. */
const handicaps = [['r', 'a rabbit'], ['c', 'a cat'], ['d', 'a dog'], ['h', 'a horse'], ['m', 'the camel'], ['mh', 'the camel and a horse'], ['e', 'the elephant']];

/** handicapOf returns the letters that each side plays without, of a choice such as "opponent mr". */
export function handicapOf(choice = '', side = 'gold') {
  const [who, letters = ''] = choice.split(' ');
  return { [(who === 'you') === (side === 'gold') ? 'gold' : 'silver']: letters };
}

/** swappedSides returns the settings of the same game with the sides swapped. */
export function swappedSides(settings) {
  const side = settings.side === 'gold' ? 'silver' : 'gold';
  return { ...settings, side, handicap: handicapOf(settings.chosenHandicap, side) };
}

/** usual is the game that begins without a question: the first network, or else the greedy player. */
export async function usual() {
  const { networks, baselines } = await get('players');
  return networks.length ? { player: networks[0].id, level: networks[0].level, side: 'gold' } : { player: baselines[1].id, side: 'gold' };
}

/** elo writes a rating. If it is not on the scale of the run's other ratings, it says which player is 0. */
export const elo = (r) => `rated ${signed(r.elo)}${r.margin ? ` ± ${Math.round(r.margin)}` : ''}${r.zero ? ` (${r.zero} is 0)` : ''}`;

/** levelText says a level in words. */
export const levelText = (l, rating) => `${l.id}: ${l.title}${rating ? `, ${elo(rating)}` : ''}`;

/**
 * welcome asks for an opponent. It offers to continue with the moves of a lost game, one
 * that could not be set up again.
 */
export function welcome(main, open, note, lost = {}) {
  let alive = true;
  const problem = h('p', { class: 'problem', role: 'alert' }, note || '');
  const looking = h('p', { class: 'muted' }, 'Looking for opponents…');
  replace(main, h('h1', {}, 'Play'), problem, looking);
  get('players').then(({ networks, levels, baselines }) => {
    if (!alive) return;
    const kept = { ...recallObject('settings'), ...lost.settings };
    const known = [...networks, ...baselines].some((p) => p.id === kept.player);
    const chosen = known ? kept.player : (networks[0] || baselines[1]).id;
    const player = h('select', { name: 'player' },
      networks.length ? h('optgroup', { label: 'Networks' }, networks.map((n) => h('option', { value: n.id, selected: n.id === chosen }, n.title + (n.rating ? `, ${elo(n.rating)}` : '')))) : null,
      h('optgroup', { label: 'Without a network' }, baselines.map((b) => h('option', { value: b.id, selected: b.id === chosen }, `${b.title}: ${b.about}`))));
    const strength = h('select', { name: 'level' });
    const level = h('label', { class: 'field' }, 'Level', strength);
    const advisers = [{ id: '', title: 'nobody' }, ...networks];
    const asked = advisers.some((n) => n.id === kept.adviser) ? kept.adviser : networks[0]?.id;
    const adviser = h('label', { class: 'field' }, 'Hints from', networks.length // without a choice, none is remembered
      ? h('select', { name: 'adviser' }, advisers.map((n) => h('option', { value: n.id, selected: n.id === asked }, n.title))) : null);
    const fit = () => {
      const network = networks.find((n) => n.id === player.value);
      const ratings = network?.levels || {};
      const wanted = strength.value || kept.level;
      const before = levels.some((l) => l.id === wanted) ? wanted : network?.level;
      replace(strength, levels.map((l) => h('option', { value: l.id, selected: l.id === before }, levelText(l, ratings[l.id]))));
      level.hidden = !network;
      adviser.hidden = Boolean(network) || networks.length === 0;
    };
    player.addEventListener('change', fit);
    const own = h('input', { type: 'text', name: 'control', placeholder: '2/2/100/10/8', value: kept.control || '', hidden: true, 'aria-label': 'Time control in the notation of arimaa.com' });
    const offered = controls.some(([c]) => c === (kept.control || ''));
    const clockField = h('span', { class: 'stack tight' }, h('select', { name: 'clock', 'aria-label': 'Clock', onchange: (e) => {
      own.hidden = e.target.value !== 'own';
      own.required = !own.hidden;
      if (own.hidden) own.value = e.target.value;
    } }, controls.map(([c, text]) => h('option', { value: c, selected: offered && c === (kept.control || '') }, text)), h('option', { value: 'own', selected: !offered }, 'another, in notation')), own);
    own.hidden = offered;
    own.required = !offered;
    const moves = h('textarea', { rows: 4, id: 'moves', spellcheck: false, placeholder: '1g Ra1 Rb1 …', value: lost.moves || '' });
    const begin = h('button', { class: 'button primary', type: 'submit' }, 'Begin');
    const form = h('form', { class: 'card stack' },
      h('div', { class: 'opponents' }, h('label', { class: 'field' }, 'Opponent', player), level, adviser,
        h('label', { class: 'field' }, 'You play', h('select', { name: 'side' },
          h('option', { value: 'gold', selected: kept.side !== 'silver' }, 'Gold, who moves first'), h('option', { value: 'silver', selected: kept.side === 'silver' }, 'Silver'))),
        h('label', { class: 'field' }, 'Handicap', h('select', { name: 'handicap' }, h('option', { value: '' }, 'none'),
          ['opponent', 'you'].map((who) => h('optgroup', { label: who === 'you' ? 'You play without' : 'Your opponent plays without' },
            handicaps.map(([letters, text]) => h('option', { value: `${who} ${letters}`, selected: kept.chosenHandicap === `${who} ${letters}` }, `${who === 'you' ? 'you' : 'opponent'} without ${text}`)))))),
        h('label', { class: 'field' }, 'Clock', clockField)),
      h('details', { open: Boolean(lost.moves) }, h('summary', {}, 'Continue with a saved game'), h('label', { for: 'moves', class: 'muted' }, 'Its moves in Arimaa’s notation'), moves,
        h('p', {}, fileChooser((content) => { moves.value = content; }))),
      h('div', {}, begin));
    form.addEventListener('submit', async (e) => {
      e.preventDefault();
      const data = Object.fromEntries(new FormData(form));
      const settings = { player: data.player, level: data.level, side: data.side, adviser: data.adviser, control: own.value.trim(),
        chosenHandicap: data.handicap, handicap: handicapOf(data.handicap, data.side) };
      remember('settings', JSON.stringify(settings));
      begin.disabled = true;
      problem.textContent = '';
      try {
        open(await post('play', { ...settings, moves: moves.value }), { settings });
      } catch (error) {
        problem.textContent = error.message;
        begin.disabled = false;
      }
    });
    replace(main, h('h1', {}, 'Play'),
      h('p', { class: 'lede' }, 'Bring one of your rabbits to the far side. New to Arimaa? ', h('a', { href: '#/rules' }, 'The rules take three minutes'), '.'),
      problem, h('div', { class: 'lobby' }, form, picture('Both sides set up', beginning)));
    fit();
  }, (error) => {
    problem.textContent = error.message;
    looking.remove();
  });
  return () => { alive = false; };
}
