// The games of a run: those that are being played, and those that are stored.

import { get, listen } from './api.js';
import { Board } from './board.js';
import { button, fileChooser, h, recallHere, recallObject, redraw, remember, rememberHere, replace, say } from './dom.js';
import { counted, fromOf, isStep, mixture, toOf, worth } from './notation.js';
import { tabs } from './matches.js';
import { pieceImage } from './pieces.js';

/** result says how a game ended. */
export function result(winner, reason) {
  if (!winner) return 'No result';
  const by = { goal: 'by goal', elimination: 'by elimination', immobilization: 'by immobilization', repetition: 'by repetition',
    'turn limit': 'on pieces, at the turn limit', time: 'on time', resignation: 'by resignation', forfeit: 'by forfeit' }[reason] || reason;
  return `${winner[0].toUpperCase()}${winner.slice(1)} won ${by}`;
}

/** origin says which network played a stored game, and how it began. */
export const origin = (g) => `generation ${g.generation}${g.opening > 0 ? `, ${counted(g.opening, 'turn')} of an opening` : ''}`;

/** usual is about the number, in its label, of the turn in which a game of an untrained network ends. */
const usual = 25;

/**
 * expectation returns a function that says, from the running games and the time in seconds, when the first of them may
 * end. It compares them with the first that it was shown.
 */
export function expectation() {
  let since = null;
  return (boards, now) => {
    const turn = Math.max(0, ...boards.map((b) => parseInt(b.label, 10)));
    if (turn === 0) return '';
    since ??= { turn, now };
    const at = `The first games are at turn ${turn}; most end at about turn ${usual}`;
    const left = (usual - turn) * (now - since.now) / (turn - since.turn);
    if (turn < since.turn + 2 || left <= 0) return `${at}.`;
    return `${at}, in ${left < 90 ? 'about a minute' : `about ${Math.round(left / 60)} minutes`}.`;
  };
}

/** liveBoards shows the running games; update gives it their state, and whether their values are not chances to win. */
export function liveBoards() {
  const box = h('div', { class: 'live-boards' });
  const about = h('p', { class: 'muted' });
  const element = h('section', { hidden: true, 'aria-label': 'Running games' }, h('h2', {}, 'Being played now'), about, box);
  const shown = [];
  return {
    element,
    update(boards, mixed) {
      element.hidden = boards.length === 0;
      about.textContent = mixed ? `The turn, and Gold’s value by the search: ${mixture}` : 'The turn, and Gold’s chance to win by the search';
      boards.forEach((b, i) => {
        if (!shown[i]) {
          const board = new Board({ small: true, label: 'A running game' });
          const caption = h('figcaption');
          shown[i] = { board, caption, figure: h('figure', {}, board.element, caption) };
          box.append(shown[i].figure);
        }
        const { board, caption } = shown[i];
        board.show(b.board);
        board.arrows(isStep(b.action) && b.board !== '.'.repeat(64) ? [{ from: fromOf(b.action), to: toOf(b.action), width: 0.9 }] : []);
        board.element.setAttribute('aria-label', `Running game ${b.game}, turn ${b.label}`);
        replace(caption, h('span', {}, `no. ${b.game}`), h('span', { class: 'number' }, b.value === undefined ? b.label : `${b.label} · ${worth(b.value, mixed)}`));
      });
      while (shown.length > boards.length) shown.pop().figure.remove();
    },
  };
}

export function games(main) {
  let alive = true;
  let stop = () => {};
  let asked = 0; // requests so far; only the answer to the last one counts
  const problem = h('p', { class: 'problem', role: 'alert' });
  let lost = ''; // what is wrong with the connection, whatever was answered before
  let failed = false; // whether the list is not what was last asked for
  let none = false; // whether it is, and the run has no games
  const list = h('ul', { class: 'games-list' });
  const more = h('div');
  const running = liveBoards();
  const form = h('form', { class: 'row card filters', 'aria-label': 'Which games' });
  replace(main, h('div', { class: 'spread' }, h('h1', {}, 'Games'), tabs('#/games')), problem, running.element, form, list, more, paste());

  async function load(before) {
    const mine = ++asked;
    const values = Object.fromEntries([...new FormData(form)].filter(([, v]) => v !== ''));
    remember('games', JSON.stringify(values), 'sessionStorage'); // for the way back from a game
    const run = values.run || '0';
    delete values.run;
    if (before !== undefined) values.before = before;
    none = false;
    redraw(more, h('p', { class: 'muted' }, 'Looking…'));
    try {
      const answer = await get(`runs/${run}/games?${new URLSearchParams(values)}`);
      if (!alive || mine !== asked) return;
      problem.textContent = lost;
      failed = false;
      if (before === undefined) replace(list);
      list.append(...answer.games.map((g) => h('li', {}, h('a', { href: `#/game/${run}/${g.game}` },
        g.winner ? pieceImage(g.winner === 'gold' ? 'R' : 'r') : h('span', { class: 'piece' }),
        h('span', {}, result(g.winner, g.reason)),
        h('small', {}, origin(g)),
        h('span', { class: 'number' }, counted(g.turns, 'turn'), h('br'), `no. ${g.game}`)))));
      redraw(more, answer.more
        ? button(list.children.length ? 'Show more' : 'None found so far. Search further', () => load(answer.next))
        : h('p', { class: 'muted' }, list.children.length ? 'That is all.' : 'No stored game matches.'));
      none = answer.games.length === 0 && !answer.more && Object.keys(values).length === 0;
      say(`${counted(list.children.length, 'game')} listed`);
    } catch (error) {
      if (!alive || mine !== asked) return;
      failed = true;
      replace(more);
      problem.textContent = error.message;
    }
  }

  (async () => {
    try {
      const runs = await get('runs');
      if (!alive) return;
      if (runs.length === 0) {
        form.remove();
        replace(list, h('li', { class: 'muted' }, 'This program was started without a run directory. A game of your own can be pasted below.'));
        return;
      }
      const kept = recallObject('games', 'sessionStorage');
      const choose = (title, name, options) => h('label', { class: 'field' }, title,
        h('select', { name }, options.map(([v, text]) => h('option', { value: v, selected: v === kept[name] }, text))));
      const number = (title, name, placeholder) => h('label', { class: 'field' }, title, h('input', { type: 'number', name, min: 0, placeholder, value: kept[name] }));
      replace(form,
        runs.length > 1 ? choose('Run', 'run', runs.map((r) => [String(r.id), r.name])) : null,
        number('Generation', 'generation', 'any'),
        choose('Winner', 'winner', [['', 'any'], ['gold', 'gold'], ['silver', 'silver'], ['none', 'no result']]),
        choose('End', 'reason', [['', 'any'], ['goal', 'goal'], ['elimination', 'elimination'], ['immobilization', 'immobilization'], ['turn limit', 'turn limit'], ['repetition', 'repetition']]),
        choose('Beginning', 'opening', [['', 'any'], ['setup', 'the setup'], ['random', 'an opening']]),
        number('Turns from', 'shortest', '0'), number('to', 'longest', 'any'),
        h('button', { class: 'button', type: 'reset' }, 'Clear'));
      form.addEventListener('change', () => load());
      form.addEventListener('reset', () => {
        const run = form.elements.run?.value; // which is no filter
        setTimeout(() => {
          if (run) form.elements.run.value = run;
          load();
        });
      });
      form.addEventListener('submit', (e) => { e.preventDefault(); load(); });
      load();
      stop = listen({
        live: ({ boards, mixed }) => running.update(boards, mixed),
        series: () => none && load(), // a generation was trained, here or elsewhere, and there may be games now
      }, (trouble) => {
        problem.textContent = lost = trouble;
        if (trouble) running.update([]);
        else if (failed) load();
      });
    } catch (error) {
      problem.textContent = error.message;
    }
  })();
  return () => {
    alive = false;
    stop();
  };
}

/** paste is where a game of one's own is put in. */
function paste() {
  const text = h('textarea', { rows: 5, spellcheck: false, id: 'paste', placeholder: '1g Ra1 Rb1 Rc1 …\n1s ra8 rb8 rc8 …\n2g Ed2n Ed3n …' });
  text.value = recallHere('pasted') || '';
  const open = () => {
    rememberHere('pasted', text.value);
    location.hash = '#/analysis';
  };
  const box = h('section', { class: 'drop card' },
    h('h2', {}, h('label', { for: 'paste' }, 'Look at a game of your own')),
    h('p', { class: 'muted' }, 'Paste a move list or a position in Arimaa’s notation, or drop its file here.'),
    text, h('p', {}, button('Look at it', open, { class: 'button primary' }), ' ',
      fileChooser((content) => { text.value = content; open(); })));
  box.addEventListener('dragover', (e) => { e.preventDefault(); box.classList.add('over'); });
  box.addEventListener('dragleave', () => box.classList.remove('over'));
  box.addEventListener('drop', async (e) => {
    e.preventDefault();
    box.classList.remove('over');
    const file = e.dataTransfer.files[0];
    text.value = (file ? await file.text() : e.dataTransfer.getData('text')).slice(0, 500000);
    open();
  });
  return box;
}
