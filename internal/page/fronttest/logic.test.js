// The parts of the page that need no browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get } from '../assets/api.js';
import { left, time } from '../assets/clock.js';
import { expectation, origin } from '../assets/games.js';
import { plan } from '../assets/charts.js';
import { choices, placements, startOf } from '../assets/hand.js';
import { elo, handicapOf, swappedSides } from '../assets/lobby.js';
import * as notation from '../assets/notation.js';
import { choose } from '../assets/puzzles.js';
import { branch, follows, request, textOf } from '../assets/path.js';
import { gradeOf, judged, summary } from '../assets/review.js';
import * as series from '../assets/series.js';
import { differing } from '../assets/settings.js';
import { fragment, linkTo, pack, shared, unpack } from '../assets/share.js';
import { lastTurn, swapped } from '../assets/table.js';

const empty = '.'.repeat(64);

test('an answer that is cut off', async (t) => {
  const said = async (error) => {
    t.mock.method(globalThis, 'fetch', async () => new Response(new ReadableStream({ start: (body) => body.error(error) })));
    return get('runs').catch(({ name, message }) => `${name}: ${message}`);
  };
  assert.match(await said(new DOMException('', 'AbortError')), /^AbortError/);
  assert.match(await said(new TypeError('network error')), /connection lost/);
});

test('squares and actions', () => {
  assert.equal(notation.square(0), 'a1');
  assert.equal(notation.square(63), 'h8');
  for (let n = 0; n < 64; n++) assert.equal(notation.squareNamed(notation.square(n)), n);
  const e2 = notation.squareNamed('e2');
  assert.equal(notation.toOf(e2), notation.squareNamed('e3')); // north
  assert.equal(notation.toOf(64 + e2), notation.squareNamed('f2'));
  assert.equal(notation.toOf(128 + e2), notation.squareNamed('e1'));
  assert.equal(notation.toOf(192 + e2), notation.squareNamed('d2'));
  assert.equal(notation.kindOf(257), 'r');
  assert.equal(notation.kindOf(262), 'e');
  assert.equal(notation.actionName(192 + e2, notation.put(empty, e2, 'M')), 'Me2w');
  assert.equal(notation.actionName(256, empty), 'end of turn');
});

test('when the first games may end', () => {
  const at = (...turns) => turns.map((n) => ({ label: `${n}s` }));
  const expected = expectation();
  assert.equal(expected([], 0), '');
  assert.equal(expected(at(1, 2), 10), 'The first games are at turn 2; most end at about turn 25.');
  assert.equal(expected(at(3), 15), 'The first games are at turn 3; most end at about turn 25.');
  assert.equal(expected(at(5, 12), 150), 'The first games are at turn 12; most end at about turn 25, in about 3 minutes.');
  assert.equal(expected(at(23), 300), 'The first games are at turn 23; most end at about turn 25, in about a minute.');
  assert.equal(expected(at(30), 310), 'The first games are at turn 30; most end at about turn 25.');
});

test('a link says where it opens', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '[::1]']) assert.match(linkTo('this game', host), /on this computer only/);
  for (const host of ['192.168.1.7', 'example.org', '127.example.org', '[fe80::1]']) assert.equal(linkTo('this game', host), 'Link to this game');
});

test('boards', () => {
  const board = notation.put(notation.put(empty, 0, 'R'), 63, 'e');
  assert.equal(notation.at(board, 0), 'R');
  assert.equal(notation.at(board, 63), 'e');
  assert.equal(notation.at(board, 1), '');
  assert.equal(board[56], 'R');
  assert.equal(notation.pieceName('e'), 'silver elephant');
  assert.equal(placements(board, 'gold'), 'Ra1');
  assert.equal(placements(board, 'silver'), 'eh8');
  assert.equal(placements(swapped(notation.put(board, 1, 'E'), 0, 1), 'gold'), 'Ea1 Rb1');
  assert.equal(placements(swapped(board, 0, 1), 'gold'), 'Rb1');
});

test('move lists', () => {
  assert.deepEqual(notation.turns('1g Ra1 Rb1\n\n2g Ed2n  \n3s\n'), [
    { label: '1g', text: 'Ra1 Rb1' }, { label: '2g', text: 'Ed2n' }, { label: '3s', text: '' }]);
});

test('what a piece can do', () => {
  const [d4, d5, d6, e5, c5] = ['d4', 'd5', 'd6', 'e5', 'c5'].map(notation.squareNamed);
  const state = { legal: [d4 + 128, d5, 256], slides: { [`${d4}-${c5}`]: [192 + d4, 27 - 1] }, pushes: { [`${d4}-${d5}`]: [[d5, d4], [64 + d5, d4]] } };
  const ways = choices(state, d4);
  assert.equal(ways.get(d4 - 8).kind, 'step');
  assert.equal(ways.get(c5).kind, 'slide');
  assert.deepEqual(ways.get(d5).ways.map((w) => notation.toOf(w[0])), [d6, e5]);
  assert.deepEqual([...choices(state, d5).keys()], [d6]);
  assert.deepEqual([...startOf(state)].sort(), [d4, d5].sort());
});

test('clocks', () => {
  assert.deepEqual([0, 1, 999, 60_000, 61_001, 3_600_000, -5].map(time), ['0:00', '0:01', '0:01', '1:00', '1:02', '1:00:00', '0:00']);
  const clock = { limits: [150_000, 130_000], used: 5_000 };
  assert.deepEqual(left(clock, 'gold', 1_000), [144_000, 130_000]);
  assert.deepEqual(left(clock, 'silver', 0), [150_000, 125_000]);
});

test('ratings', () => {
  assert.equal(elo({ elo: 120.4, margin: 30 }), 'rated +120 ± 30');
  assert.equal(elo({ elo: -0.4 }), 'rated +0');
  assert.equal(elo({ elo: -0.6, zero: 'random' }), 'rated −1 (random is 0)');
});

test('values', () => {
  assert.equal(notation.chance(0.836), 'gold 84%, silver 16%');
  assert.equal(notation.chance(0.836, true), 'gold’s value 0.84'); // it is no chance to win
  assert.deepEqual([notation.worth(0.5, false), notation.worth(0.5, true)], ['50%', '0.50']);
});

test('how a stored game began', () => {
  assert.equal(origin({ generation: 3, opening: 0 }), 'generation 3');
  assert.equal(origin({ generation: 3, opening: 14 }), 'generation 3, 14 turns of an opening');
  assert.equal(origin({ generation: 3, opening: 1 }), 'generation 3, 1 turn of an opening');
});

test('turns of a game', () => {
  assert.deepEqual(notation.turnStarts([{ label: '1g' }, { label: '1g' }, { label: '1s' }, { label: '2g' }]), [0, 2, 3]);
  assert.deepEqual(notation.turnStarts([]), []);
});

const columns = { name: 'a', verdict: '', steps: [1, 2, 4], times: [0, 0, 0], values: { x: [1, null, 3], 'total/games': [10, null, 40], 'total/minutes': [30, 60, 90] } };

test('points over each axis', () => {
  const over = (id) => series.points(columns, 'x', series.positions(columns, series.axes.find((a) => a.id === id)));
  assert.deepEqual(over('generation'), [{ x: 1, y: 1, row: 0 }, { x: 4, y: 3, row: 2 }]);
  assert.deepEqual(over('games').map((p) => p.x), [10, 40]);
  assert.deepEqual(over('hours').map((p) => p.x), [0.5, 1.5]);
  assert.deepEqual(over('samples'), []); // this run does not count them
  assert.deepEqual(series.points(columns, 'x', columns.steps, () => 0).map((p) => p.y), [1, 0, 3]);
});

test('newer rows replace older ones from their first step on', () => {
  const newer = { name: 'a', verdict: 'now', steps: [4, 5], times: [9, 9], values: { x: [7, 8], y: [null, 2] } };
  const all = series.merge(columns, newer);
  assert.deepEqual(all.steps, [1, 2, 4, 5]);
  assert.deepEqual(all.values.x, [1, null, 7, 8]);
  assert.deepEqual(all.values.y, [null, null, null, 2]);
  assert.deepEqual(all.values['total/games'], [10, null, null, null]);
  assert.equal(all.verdict, 'now');
  assert.equal(series.merge(columns, { ...newer, mixed: true }).mixed, true);
});

test('rows of another run are not laid over those of this one', () => {
  const older = { ...columns, times: [10, 20, 40] };
  const newer = (steps, times) => ({ ...columns, steps, times, values: {} });
  assert.ok(series.continues(older, newer([2, 4, 5], [20, 41, 50])));
  assert.ok(!series.continues(older, newer([2, 4, 5], [21, 40, 50])));
  assert.ok(!series.continues(older, newer([3, 4], [20, 40])));
  assert.ok(!series.continues(older, newer([], []))); // the other run has not come so far
});

test('the news of many runs is drawn together', (t) => {
  const timers = [];
  t.mock.method(globalThis, 'setTimeout', (f) => timers.push(f));
  let drawn = 0;
  const draw = series.together(() => { drawn++; }, 200);
  for (const already of [0, 1]) {
    draw();
    draw();
    assert.deepEqual([drawn, timers.length], [already, already + 1]);
    timers.at(-1)();
    assert.equal(drawn, already + 1);
  }
});

test('tables and CSV', () => {
  const rows = series.table('games', [
    { title: 'a', points: [{ x: 1, y: 2, margin: 0.5 }, { x: 3, y: 4, margin: 1 }] }, { title: 'b, "c"', points: [{ x: 2, y: 9 }] }]);
  assert.deepEqual(rows, [['games', 'a', 'a ±', 'b, "c"'], [1, 2, 0.5, null], [2, null, null, 9], [3, 4, 1, null]]);
  assert.equal(series.csv(rows), 'games,a,a ±,"b, ""c"""\r\n1,2,0.5,\r\n2,,,9\r\n3,4,1,\r\n');
});

test('a table of a long run looks at each margin a few times', () => {
  let reads = 0;
  const points = Array.from({ length: 1000 }, (_, x) => ({ x, y: 0, get margin() { reads++; return undefined; } }));
  assert.equal(series.table('games', [{ title: 'a', points }]).length, 1001);
  assert.ok(reads <= 2000, `${reads} reads`);
});

test('ticks are round, few and within', () => {
  for (const [low, high] of [[0, 1], [-544, 212], [0.6123, 0.6124], [0, 1e7], [-3, -2]]) {
    const list = series.ticks(low, high, 5);
    assert.ok(list.length >= 2 && list.length <= 11, `${low} to ${high}: ${list}`);
    const slack = (high - low) * 1e-6;
    assert.ok(list.every((t) => t >= low - slack && t <= high + slack), `${low} to ${high}: ${list}`);
  }
  assert.deepEqual(series.ticks(0, 1, 5).map((t) => Number(t.toFixed(6))), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(series.ticks(2, 2, 5), [2]);
});

test('titles of lines do not cover each other', () => {
  const lines = [{ y: 50, title: 'greedy' }, { y: 20, title: 'far' }, { y: 50, title: 'random' }, { y: 62, title: 'near' }, { y: 63, title: 'apart' }];
  assert.deepEqual(series.titled(lines, 13), [{ y: 20, title: 'far' }, { y: 50, title: 'greedy, random, near' }, { y: 63, title: 'apart' }]);
});

test('labels tell ticks apart', () => {
  assert.deepEqual(series.labels([0.6931, 0.6932, 0.6933], series.short), ['0.6931', '0.6932', '0.6933']);
  assert.deepEqual(series.labels([0, 0.5, 1], series.short), ['0', '0.5', '1']);
});

test('numbers are short', () => {
  assert.deepEqual([0, 0.0001, 0.63812, 2.105, 34.45, 712.3, 27840, 1583952, -544].map(series.short), ['0', '0.0001', '0.638', '2.1', '34.5', '712', '27.8k', '1.58M', '-544']);
});

test('the nearest point', () => {
  const list = [1, 2, 5].map((x) => ({ x }));
  assert.deepEqual([0, 1.4, 1.6, 3, 4, 9].map((x) => series.nearest(list, x)), [0, 0, 1, 1, 2, 2]);
  assert.equal(series.nearest([], 1), -1);
});

test('the numbers under the pointer', () => {
  const [often, seldom, early] = [[1, 2, 3, 4], [1, 4], [1]].map((xs) => xs.map((x) => ({ x, y: 10 * x })));
  const at = (here, ...lists) => {
    const { x, found } = series.readings(lists, here);
    return [x, ...found.map((p) => p.x)];
  };
  assert.deepEqual(at(3.1, often, seldom, early), [3, 3, 4, 1]); // the place is that of the nearest point, whichever curve has it
  assert.deepEqual(at(3.1, early, seldom, often), [3, 1, 4, 3]);
  assert.deepEqual(at(9, often, seldom, early), [4, 4, 4, 1]);
  assert.deepEqual(at(null, often, early), [null, 4, 1]);
  assert.deepEqual(at(2), [null]);
});

test('every series has a chart, and only one', () => {
  const names = ['loss/policy', 'held_out/policy', 'games/end_goal', 'games/end_turn_limit', 'games/turns', 'openings/end_goal', 'openings/turns', 'match/elo', 'match/elo_margin', 'match/greedy', 'total/games',
    'search/full', 'search/target_entropy', 'wait/self_play', 'probe/even', 'canary/goal_now', 'probe/goal_now_prior', 'heads/first', 'heads/second', 'odd'];
  const charts = plan(names);
  const drawn = charts.flatMap((c) => c.series.map(([n]) => n)).sort();
  assert.deepEqual(drawn, names.filter((n) => n !== 'total/games' && n !== 'match/elo_margin').sort());
  assert.deepEqual(charts.find((c) => c.title === 'Heads').series, [['heads/first', 'first'], ['heads/second', 'second']]);
  assert.deepEqual(charts.find((c) => c.title === 'How games end').series, [['games/end_goal', 'goal'], ['games/end_turn_limit', 'turn limit']]);
  assert.deepEqual(charts.find((c) => c.title === 'How games end after an opening').series, [['openings/end_goal', 'goal']]);
  // A prior is no value of a position.
  assert.deepEqual(charts.find((c) => c.title === 'Known positions').series, [['canary/goal_now', 'goal now'], ['probe/even', 'even']]);
  assert.deepEqual(charts.find((c) => c.title === 'Known steps').series, [['probe/goal_now_prior', 'goal now prior']]);
  // The length of a game with an opening is not that of the part after it.
  assert.deepEqual(charts.find((c) => c.title === 'Length of games').series, [['games/turns', 'from the setup'], ['openings/turns', 'with an opening']]);
  const known = (mixed) => plan(names, mixed).find((c) => c.title === 'Known positions');
  assert.match(known(false).about, /^Gold’s chance to win/);
  assert.match(known(true).about, /not a chance to win$/);
  assert.deepEqual([known(false).format(0.5), known(true).format(0.5)], ['50%', '0.5']);
  assert.equal(new Set(charts.map((c) => c.title)).size, charts.length);
});

test('a turn in notation, and what was captured', () => {
  const [e2, e3] = ['e2', 'e3'].map(notation.squareNamed);
  assert.deepEqual(notation.stepsOf('Ee2n rc3x Ee3w'), [e2, 192 + e3]);
  assert.deepEqual(notation.numbered([e2, notation.endTurn], 'other'), [{ from: e2, to: e3, width: 0.2, kind: 'other', label: '1' }]);
  assert.equal(notation.captured('RRCEree', notation.put(notation.put(empty, 3, 'R'), 9, 'e')), 'EeCRr');
  assert.equal(notation.captured('', notation.put(empty, 3, 'R')), '');
  assert.equal(notation.positionText(notation.put(empty, 0, 'R'), 'silver'), `s [${' '.repeat(56)}R${' '.repeat(7)}]`);
});

test('the last turn is shown until the person steps', () => {
  const state = { moves: '1g Ra1 Rb1\n1s ra8 rb8\n2g Ee2n\n', open: [], toMove: 'silver', side: 'silver', winner: '' };
  const step = [notation.squareNamed('e2')];
  const after = (changes) => lastTurn({ ...state, ...changes });
  assert.deepEqual(after({}), step);
  for (const label of ['10g', '19g', '100g']) assert.deepEqual(after({ moves: `${state.moves}2s ee7s\n${label} Ee2n\n` }), step, label);
  assert.deepEqual(after({ moves: '1g Ra1 Rb1\n' }), []);
  assert.deepEqual(after({ moves: '' }), []);
  assert.deepEqual(after({ open: ['ee7s'] }), []);
  assert.deepEqual(after({ toMove: 'gold' }), []);
  assert.deepEqual(after({ toMove: 'gold', winner: 'gold' }), step);
});

test('links', () => {
  const actions = [257, 262, 0, 63, 255, 256];
  assert.deepEqual(unpack(pack(actions)), actions);
  assert.deepEqual(unpack(pack([])), []);
  const words = (text) => text.replace('#/study/', '').split('/');
  assert.deepEqual(shared(words(fragment({ actions, missing: [] }, 4))), { actions, at: 4, missing: [], position: '' });
  assert.deepEqual(shared(words(fragment({ actions, missing: [51, 12] }, 4))).missing, [51, 12]);
  const position = `s [${' '.repeat(63)}E]`;
  assert.deepEqual(shared(words(fragment({ actions: [], position }, 0))), { actions: [], at: 0, missing: [], position: `s [${'.'.repeat(63)}E]` });
  assert.equal(shared([]).at, undefined);
  for (const damaged of ['A', 'A!', 'AAA']) assert.throws(() => unpack(damaged), /link is damaged/);
});

test('what a turn lost', () => {
  const turns = ['gold', 'silver', 'gold'].map((side) => ({ side }));
  const j = judged(turns, [0.5, 0.25, 0.75, undefined], [false, false, false]);
  assert.deepEqual(j.map((x) => x && [x.loss, x.grade?.mark]), [[0.25, '??'], [0.5, '??'], undefined]);
  assert.deepEqual(judged(turns, [0.5, 0.25, 0.25, 1], [true, false, false]).map((x) => x.loss), [0, 0, 0]); // its own choice, none, a gain
  assert.deepEqual([0.049, 0.05, 0.1, 0.2].map((x) => gradeOf(x)?.name), [undefined, 'inaccuracy', 'mistake', 'blunder']);
  assert.equal(summary(turns, j, 'silver', false), 'Silver lost 50.0% a turn: 1 blunder.');
  assert.equal(summary(turns, j, 'gold', true), 'Gold lost 0.250 a turn: 1 blunder.');
  assert.equal(summary(turns, [], 'gold', false), '');
});

test('variations', () => {
  const frame = (action, label = '2g') => ({ action, label, text: `step${action}` });
  const game = { frames: [frame(1), frame(2), frame(3)], final: 'end', from: Infinity, title: '' };
  const first = branch(game, 1, [frame(7), frame(8, '2s')], 'there', 'Variation');
  assert.deepEqual(first.frames.map((f) => f.action), [1, 7, 8]);
  assert.equal(branch(first, 2, [frame(9)], 'x', '').from, 1); // a variation of a variation leaves the game where the first does
  assert.equal(textOf(first), '2g step7 2s step8');
  assert.ok(follows(first, 1, [7, 8]) && !follows(first, 1, [7, 8, 9]) && !follows(first, 1, [8]));
  assert.deepEqual(request({ missing: [3] }, first, 2), { actions: [1, 7], missing: [3], position: '' });
});

test('a rematch with the sides swapped', () => {
  assert.deepEqual(handicapOf('opponent mh', 'gold'), { silver: 'mh' });
  const settings = { side: 'gold', player: 'x', chosenHandicap: 'opponent mh', handicap: { silver: 'mh' } };
  assert.deepEqual(swappedSides(settings), { ...settings, side: 'silver', handicap: { gold: 'mh' } });
  assert.equal(swappedSides(swappedSides(settings)).side, 'gold');
  assert.equal(swappedSides({ side: 'gold' }).side, 'silver');
});

test('smoothing and logarithmic axes', () => {
  const list = [4, 0, 0].map((y, x) => ({ x, y, margin: 1 }));
  assert.deepEqual(series.smoothed(list, 0.5).map((p) => Number(p.y.toFixed(3))), [4, 1.333, 0.571]);
  assert.deepEqual(series.smoothed(list, 0).map((p) => p.y), [4, 0, 0]);
  assert.deepEqual(series.logTicks(-0.1, 1.1, 5), [1, 2, 5, 10]);
  assert.deepEqual(series.logTicks(0, 6, 4), [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]);
  assert.ok(series.logTicks(0.31, 0.32, 4).length > 1); // within one power of ten, and no round number of it
});

test('settings that differ', () => {
  const [a, b] = [[{ key: 'x', value: '1' }, { key: 'y', value: '2' }], [{ key: 'x', value: '1' }, { key: 'y', value: '3' }, { key: 'z', value: '4' }]];
  assert.deepEqual(differing([a, b]), [{ key: 'y', values: ['2', '3'] }, { key: 'z', values: [undefined, '4'] }]);
  assert.deepEqual(differing([a]).map((d) => d.key), ['x', 'y']);
  assert.deepEqual(differing([]), []);
});

test('puzzles: of a kind and a difficulty, the solved ones last', () => {
  const all = [['a', 'goal', 'easy'], ['b', 'goal', 'hard'], ['c', 'trap', 'hard'], ['d', 'goal', 'hard']].map(([id, kind, difficulty]) => ({ id, kind, difficulty }));
  const ids = (filter, solved = {}) => choose(all, filter, solved).map((p) => p.id).join('');
  assert.equal(ids({}), 'abcd');
  assert.equal(ids({ kind: 'goal', difficulty: 'hard' }), 'bd');
  assert.equal(ids({ kind: 'goal' }, { a: 1, b: 1 }), 'dab');
  assert.equal(ids({ kind: 'trap', difficulty: 'easy' }), '');
});
