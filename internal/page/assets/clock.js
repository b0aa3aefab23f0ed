// The clock of a game. The program keeps the time; this file counts down what it
// said last.

import { h, replace } from './dom.js';

/** controls are the time controls that are offered, in the notation of arimaa.com. */
export const controls = [
  ['', 'no clock'],
  ['0:15/1/100/2', '15 seconds a turn, 1 minute in reserve'],
  ['0:30/2/100/5', '30 seconds a turn, 2 minutes in reserve'],
  ['2/2/100/10/8', '2 minutes a turn, 2 in reserve'],
];

/** time writes milliseconds as minutes and seconds. */
export function time(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  return s >= 3600 ? `${Math.floor(s / 3600)}:${String(Math.floor(s / 60) % 60).padStart(2, '0')}:${String(s % 60).padStart(2, '0')}` : `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
}

/**
 * left returns the time that each side has for its present or next turn, of which the
 * side to move has used some since the program said so.
 * @param {{limits: [number, number], used: number}} clock
 */
export function left(clock, toMove, since) {
  return ['gold', 'silver'].map((side, i) => clock.limits[i] - (side === toMove ? clock.used + since : 0));
}

/**
 * clockView shows the clock of a state. When the side to move has no time left it
 * calls out, again and again until that returns true.
 */
export function clockView(out) {
  const faces = ['gold', 'silver'].map((side) => h('span', { class: `clock ${side}`, role: 'timer' }));
  const element = h('div', { class: 'clocks', hidden: true }, faces);
  let state = null;
  let from = 0; // when the program spoke
  let called = false;
  const draw = () => {
    if (!state?.clock) return;
    const times = left(state.clock, state.toMove, state.winner ? 0 : performance.now() - from);
    faces.forEach((face, i) => {
      const side = ['gold', 'silver'][i];
      replace(face, h('span', {}, side === state.side ? 'you' : 'opponent'), h('b', { class: 'number' }, time(times[i])));
      face.setAttribute('aria-label', `Time of ${side}: ${time(times[i])}`);
      face.classList.toggle('running', side === state.toMove && !state.winner);
      face.classList.toggle('short', side === state.toMove && times[i] < 10000);
    });
    if (!called && !state.winner && times[state.toMove === 'gold' ? 0 : 1] <= 0) {
      called = out();
    }
  };
  const timer = setInterval(draw, 250);
  return {
    element,
    /** update shows the clock of another state, which the program sent at a time of performance.now. */
    update(next, at = performance.now()) {
      state = next;
      from = at;
      called = false;
      element.hidden = !next.clock;
      draw();
    },
    close: () => clearInterval(timer),
  };
}
