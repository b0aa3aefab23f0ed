// The real page in a real browser, against a real run. The Go test beside this
// file starts it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  advance, alter, atRest, begin, browser, finished, folder, fresh, gameOf, hold, live, name, open, patience, programs, run, setups, start, stepsLeft, target, text, ways, yourTurn,
} from './harness.js';
import './layout.js';
import './puzzles.js';
import './runs.js';
import './study.js';

test('the curves move while it trains', async () => {
  const page = await open(live, '#/learning');
  await page.waitForFunction(() => /Generation \d/.test(document.querySelector('.verdict')?.textContent || ''));
  await page.waitForSelector('.live-line b');
  const now = () => page.evaluate(() => ({ n: Number(document.querySelector('.verdict').textContent.match(/Generation (\d+)/)[1]), said: document.querySelector('canvas[aria-label^="Policy loss"]')?.getAttribute('aria-label') }));
  const first = await now();
  await page.waitForFunction((n) => Number(document.querySelector('.verdict').textContent.match(/Generation (\d+)/)[1]) > n + 1, first.n);
  await page.waitForFunction((said) => document.querySelector('canvas[aria-label^="Policy loss"]').getAttribute('aria-label') !== said, first.said);
  await page.getByRole('button', { name: 'Table of Policy loss' }).click();
  assert.ok(await page.locator('.plot table tbody tr').count() > 1);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV of Policy loss' }).click()]);
  const lines = readFileSync(await file.path(), 'utf8').trim().split('\r\n');
  assert.match(lines[0], /^generation,held out,training$/);
  assert.ok(lines.length > 2 && lines.every((l) => l.split(',').length === 3));
  const [image] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'PNG of Rating' }).click()]);
  assert.equal(readFileSync(await image.path()).subarray(1, 4).toString(), 'PNG');
  await page.end();
});

test('a range by drag, numbers by the keyboard', async () => {
  const page = await open(finished, '#/learning');
  const plot = page.locator('.plot', { hasText: 'Policy loss' }); // it has a point for every generation
  const canvas = plot.locator('canvas');
  await canvas.waitFor();
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 80, box.y + 80);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + 90, { steps: 5 });
  await page.mouse.up();
  await page.getByRole('button', { name: /Show all/ }).click();
  await page.mouse.move(1, 1); // the focus scrolls, and a plot that comes under the mouse shows the number there
  await canvas.focus();
  const hovered = async (key) => {
    await page.keyboard.press(key);
    return Number((await plot.locator('.legend').textContent()).match(/at generation (\d+)$/)[1]);
  };
  assert.ok(await hovered('Home') < await hovered('End'));
  await page.end();
});

test('a number beside a name says where it is from', async () => {
  const page = await open(finished, '#/rules');
  const legend = await page.evaluate(async () => {
    const { Plot } = await import('/plot.js');
    const plot = new Plot({ title: 'Made up', xTitle: 'generation', curves: [
      { title: 'often', color: 1, points: [1, 2, 3].map((x) => ({ x, y: 10 * x })) }, { title: 'once', color: 2, points: [{ x: 1, y: 7 }] }] });
    const said = () => [...plot.legend.children].map((item) => item.textContent);
    plot.hover = 3;
    plot.fillLegend();
    const under = said();
    plot.hover = null;
    plot.fillLegend();
    const last = said();
    plot.update({ ...plot.spec, curves: [{ title: 'anew', color: 1, points: [{ x: 1, y: 2 }] }] }); // without a canvas to draw on, as behind its table
    return [under, last, said()];
  });
  assert.deepEqual(legend, [['often30', 'once7 at 1', 'at generation 3'], ['often30', 'once7'], ['anew2']]);
  await page.end();
});

test('an answer that comes late does not replace another part', async () => {
  const page = await open(finished, '#/rules');
  const held = new Promise((keep) => { page.route('**/api/runs', keep); });
  await page.goto(finished + '#/learning');
  const route = await held;
  await page.goto(finished + '#/rules');
  await page.getByRole('heading', { name: 'How Arimaa is played' }).waitFor();
  const late = page.waitForResponse('**/api/runs');
  await route.fulfill({ json: [] });
  await (await late).finished();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  assert.equal(await text(page, 'h1'), 'How Arimaa is played');
  await page.end();
});

test('running games are shown', async () => {
  const page = await open(live, '#/games');
  await page.waitForFunction(() => document.querySelectorAll('.live-boards .piece').length > 20);
  await page.getByText('Gold’s chance to win by the search').waitFor();
  await page.end();
});

test('games are listed once some are stored', async () => {
  for (const address of [live, finished]) {
    const page = await open(address, '#/rules');
    let asked = 0;
    await page.route('**/api/runs/0/games?*', (route) => asked++ ? route.continue() : route.fulfill({ json: { games: [], more: false } }));
    await page.goto(address + '#/games');
    await page.locator('.games-list a').first().waitFor();
    await page.end();
  }
});

test('a game replays to its end', async () => {
  const training = await open(live, '#/games');
  await training.locator('.games-list a').first().waitFor(); // some are stored, also if no other test ran before this one
  await training.end();
  const page = await open(finished, '#/games');
  await page.getByLabel('Winner').selectOption('gold');
  await page.waitForFunction(() => [...document.querySelectorAll('.games-list a')].length > 0 && [...document.querySelectorAll('.games-list a')].every((a) => a.textContent.includes('Gold won')));
  const alone = page.getByRole('button', { name: 'The network alone' });
  for (let n = 0; await alone.count() === 0; n++) { // some games are won after their opening, without a search
    if (n > 0) await page.goBack();
    await page.locator('.games-list a').nth(n).click();
    await page.waitForSelector('.steps-bar');
    await alone.or(page.getByLabel('Seen by')).first().waitFor();
  }
  const before = await page.locator('.turn-line').textContent();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((b) => document.querySelector('.turn-line').textContent !== b, before);
  for (let i = 0; i < 40 && await page.locator('.arrows path').count() === 0; i++) await page.keyboard.press('ArrowRight');
  assert.ok(await page.locator('.arrows path').count() > 0);
  await page.getByRole('button', { name: 'To the end' }).click();
  assert.match(await text(page, '.turn-line'), /Gold won/);
  await page.keyboard.press('Shift+ArrowLeft');
  await page.getByRole('button', { name: 'The network alone' }).click();
  await page.getByText('What the network thought').waitFor();
  await page.getByText('The steps that it expected least').click();
  await page.locator('details .button.small', { hasText: '%' }).first().click();
  assert.ok(await page.locator('.bars .played-mark').count() === 1);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV of Gold’s chance to win' }).click()]);
  assert.match(readFileSync(await file.path(), 'utf8'), /^step,by the search,by the network alone\r\n/);
  await page.getByRole('button', { name: 'The search', exact: true }).click();
  const at = page.url();
  await page.reload();
  await page.waitForSelector('.steps-bar');
  assert.equal(page.url(), at);
  await page.goBack();
  assert.equal(await page.getByLabel('Winner').inputValue(), 'gold');
  await page.end();
});

/** wonMatch waits for a match with a game that somebody won, and returns its name. Many games of the newest match may be under way or without a result. */
async function wonMatch() {
  for (const end = Date.now() + patience; Date.now() < end;) {
    const { matches } = await (await fetch(finished + 'api/runs/0/matches')).json();
    for (const { match } of matches) {
      const { games } = await (await fetch(`${finished}api/runs/0/matches/${match}`)).json();
      if (games.some((g) => g.winner)) return match;
    }
    await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
  throw new Error('no match has a game that somebody won');
}

test('a game of a match replays', async () => {
  const page = await open(finished, `#/matches/0/${await wonMatch()}`);
  await page.locator('.games-list a', { hasText: 'won' }).first().click();
  await page.getByText('What the network thought').waitFor();
  await page.waitForFunction(() => /gold \d+%/.test(document.querySelector('.evalbar').getAttribute('aria-label')));
  await page.getByRole('button', { name: 'To the end' }).click();
  assert.match(await text(page, '.turn-line'), /(Gold|Silver) won/);
  await page.end();
});

test('the page stays when the training ends', async () => {
  const address = await start(['train', '--config', 'smoke', '--run', join(folder, 'short'), '--http', '127.0.0.1:0', '--set', 'loop.generations=1', '--set', 'match.every=0']);
  const page = await open(address, '#/learning');
  await page.locator('.live-line', { hasText: 'Training is finished.' }).waitFor();
  assert.equal(await page.locator('.live-dot').count(), 0);
  await page.end();
});

test('values that are not chances to win are not called so', async () => {
  const address = await start(['train', '--config', 'smoke', '--run', join(folder, 'mixed'), '--http', '127.0.0.1:0', '--set', 'loop.generations=1', '--set', 'match.every=0', '--set', 'data.material_weight.final=0.45']);
  const page = await open(address, '#/learning');
  await page.locator('.live-line', { hasText: 'Training is finished.' }).waitFor();
  await page.locator('.plot', { hasText: 'Known positions' }).locator('.about', { hasText: 'not a chance to win' }).waitFor();
  await page.goto(address + '#/game/0/0');
  await page.locator('.plot h2', { hasText: 'Gold’s value' }).waitFor();
  await page.evaluate(() => localStorage.setItem('warren.view', 'network'));
  await page.reload();
  await page.waitForFunction(() => /^gold’s value [01]\.\d\d$/.test(document.querySelector('.evalbar')?.getAttribute('aria-label')));
  await page.locator('.card', { hasText: 'What the network thought' }).getByText(/^gold’s value/).waitFor();
  await page.goto(address + '#/play');
  await page.locator('select[name=player]').selectOption('random');
  await page.getByText('Continue with a saved game').click();
  await page.locator('#moves').fill(setups);
  await page.getByRole('button', { name: 'Begin' }).click();
  await yourTurn(page);
  await page.getByRole('button', { name: 'Evaluation' }).click();
  await page.waitForFunction(() => /^gold’s value [01]\.\d\d: .*not a chance to win$/.test(document.querySelector('.evalbar').title));
  await page.getByRole('button', { name: 'Hint' }).click();
  await page.locator('.advice', { hasText: 'not a chance to win' }).waitFor();
  await page.end();
});

test('the page says that the program is gone, and continues when it is back', async () => {
  const args = (address) => ['--config', 'smoke', '--run', join(folder, 'again'), '--http', address, '--set', 'loop.generations=99999', '--set', 'match.every=0', '--set', 'data.material_weight.final=0.45'];
  const address = await start(['train', ...args('127.0.0.1:0')]);
  const page = await open(address, '#/learning', { errors: true });
  await page.locator('.live-dot').waitFor();
  const program = programs.at(-1);
  program.removeAllListeners('exit');
  program.kill('SIGKILL');
  await page.locator('.problem', { hasText: 'does not answer' }).waitFor();
  await page.locator('.live-dot').waitFor({ state: 'hidden' });
  assert.equal(await start(['train', ...args(new URL(address).host)]), address);
  await page.locator('.live-dot').waitFor();
  assert.equal(await text(page, '.problem'), '');
  await page.goto(address + '#/games'); // its values are not chances to win
  await page.getByText('Gold’s value by the search').waitFor();
  await page.end();
});

for (const [way, step] of Object.entries(ways)) {
  const whole = way === 'tap'; // the end is the same whatever the way to it
  test(whole ? `a game to its end by ${way}` : `a game by ${way}`, async () => {
    const page = await open(finished, '#/play', { width: way === 'tap' ? 390 : 1280 });
    await begin(page);
    let state = await gameOf(page);
    for (let n = 0; !state.winner && n < (whole ? 400 : 12); n++) {
      if (state.toMove === state.side) {
        const a = advance(state);
        if (a === 256) await page.keyboard.press('e');
        else await step(page, name(a & 63), name(target(a)));
      }
      await atRest(page);
      const seen = state;
      state = await gameOf(page);
      assert.notDeepEqual([state.board, state.label, state.left], [seen.board, seen.label, seen.left], `the board has not changed in ${seen.label}`);
    }
    if (whole) {
      assert.ok(state.winner, 'the game does not end');
      assert.match(await text(page, '.banner'), state.winner === 'gold' ? /You won/ : /won/);
    }
    await page.end();
  });
}

test('a reload resumes, undo takes back, a push by dragging', async () => {
  const page = await open(finished, '#/play');
  await begin(page, 'silver');
  const e = await page.evaluate(() => [...document.querySelectorAll('.cell')].find((c) => c.getAttribute('aria-label').includes('silver elephant') && c.classList.contains('can')).dataset.square);
  await ways.drag(page, e, e[0] + (Number(e[1]) - 2));
  await stepsLeft(page, 2);
  const board = (await gameOf(page)).board;
  await page.reload();
  await yourTurn(page);
  assert.equal((await gameOf(page)).board, board);
  await page.keyboard.down('u');
  await stepsLeft(page, 3);
  await page.keyboard.down('u'); // a key that is held down repeats, and takes back once
  await page.keyboard.up('u');
  await atRest(page);
  assert.equal(await page.locator('.pips .left').count(), 3);
  // A new program does not know the board, but the browser knows the moves.
  await alter(page, { id: 'gone' });
  await page.reload();
  await yourTurn(page);
  await page.close(); // the answer 404 is an error on its console
});

test('the keys continue where a drag began', async () => {
  const page = await open(finished, '#/play');
  await begin(page);
  await ways.drag(page, 'e2', 'e5');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.square), 'e3');
  await page.end();
});

test('pushes and pulls', async () => {
  const page = await open(finished, '#/play');
  await fresh(page);
  await page.locator('select[name=player]').selectOption('random');
  await page.getByText('Continue with a saved game').click();
  // The gold elephant stands on e6, below the silver elephant; beside it the camel is on d7.
  await page.locator('#moves').fill(setups + '2g Ee2n Ee3n Ee4n Ee5w\n2s ra7s ra6s ra5s ra4s\n');
  await page.getByRole('button', { name: 'Begin' }).click();
  await yourTurn(page);
  await ways.tap(page, 'd5', 'd6');
  await stepsLeft(page, 3);
  await ways.tap(page, 'd6', 'd5'); // away from the camel on d7 ...
  await stepsLeft(page, 2);
  await ways.drag(page, 'd7', 'd6'); // ... which is pulled along
  await stepsLeft(page, 1);
  assert.match(await page.locator('[data-square=d6]').getAttribute('aria-label'), /silver camel/);
  await page.getByRole('button', { name: 'Take back' }).click();
  await atRest(page); // a press before that would cut this one short
  await page.getByRole('button', { name: 'Take back' }).click();
  await stepsLeft(page, 3);
  await page.getByRole('button', { name: 'End turn' }).click();
  await page.waitForFunction(() => /4g/.test(document.querySelector('.turn-line').textContent) && /Your turn/.test(document.querySelector('.turn-line').textContent));
  await page.end();
});

/** afterSetups opens a page with a game against random, at Gold's first turn. */
async function afterSetups() {
  const page = await open(finished, '#/play');
  await fresh(page);
  await page.locator('select[name=player]').selectOption('random');
  await page.getByText('Continue with a saved game').click();
  await page.locator('#moves').fill(setups);
  await page.getByRole('button', { name: 'Begin' }).click();
  await yourTurn(page);
  return page;
}

test('why a piece cannot go there, and the next game', async () => {
  const page = await afterSetups();
  await page.locator('.strip', { hasText: 'random' }).waitFor();
  await ways.tap(page, 'e2', 'e7');
  await page.locator('.problem', { hasText: 'The elephant on e2 cannot get to e7' }).waitFor();
  await page.locator('.cell.chosen[data-square=e2]').waitFor(); // it stays picked up, with what it can do
  await page.locator('[data-square=e3]').click();
  await stepsLeft(page, 3);
  assert.equal(await text(page, '.problem'), '');
  await page.locator('[data-square=a1]').click();
  await page.locator('.problem', { hasText: 'No square next to the rabbit on a1 is free' }).waitFor();
  await page.getByRole('button', { name: 'Hint' }).click();
  await page.getByRole('heading', { name: 'A hint' }).waitFor();
  assert.equal(await text(page, '.problem'), '');
  await page.getByText('More', { exact: true }).click();
  page.once('dialog', (d) => d.accept());
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.locator('#status', { hasText: 'Silver won by resignation' }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Rematch' }).click();
  await page.getByRole('button', { name: 'Start' }).waitFor();
  assert.equal(await page.locator('main.wide .board').count(), 1); // as large as that of the game before
  await page.end();
});

test('a setup that was begun stays', async () => {
  const page = await open(finished, '#/play');
  await fresh(page);
  await page.locator('select[name=player]').selectOption('random');
  await page.locator('select[name=side]').selectOption('silver');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('button', { name: 'Another setup' }).click();
  const pieces = () => page.locator('.cell').evaluateAll((cells) => cells.map((c) => c.getAttribute('aria-label')));
  const rabbit = (await pieces()).findIndex((words) => words.includes('silver rabbit'));
  const elephant = (await pieces()).findIndex((words) => words.includes('silver elephant'));
  await page.locator('.cell').nth(rabbit).click();
  await page.locator('.cell').nth(elephant).click();
  const arranged = await pieces();
  assert.match(arranged[rabbit], /silver elephant/);
  await page.keyboard.press('u'); // Gold's setup is not Silver's to take back
  await atRest(page);
  assert.deepEqual(await pieces(), arranged);
  await page.getByRole('link', { name: 'The rules take three minutes' }).click();
  await page.getByRole('heading', { name: 'How Arimaa is played' }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Start' }).waitFor();
  assert.deepEqual(await pieces(), arranged);
  await page.reload();
  await page.getByRole('button', { name: 'Start' }).click();
  await yourTurn(page);
  await page.getByRole('button', { name: 'Take back' }).click();
  await page.getByRole('button', { name: 'Start' }).waitFor();
  await atRest(page);
  assert.deepEqual(await pieces(), arranged);
  await page.end();
});

test('a push is taken back step by step', async () => {
  const page = await open(finished, '#/play');
  await fresh(page);
  await page.locator('select[name=player]').selectOption('random');
  await page.getByText('Continue with a saved game').click();
  // The gold elephant stands on d5, below the silver camel.
  await page.locator('#moves').fill(setups + '2g Ee2n Ee3n Ee4n Ee5w\n2s md7s ra7s ra6s ra5s\n');
  await page.getByRole('button', { name: 'Begin' }).click();
  await yourTurn(page);
  await ways.tap(page, 'd5', 'd6');
  await page.locator('.turn-line', { hasText: 'Push it to which square?' }).waitFor();
  await page.click('[data-square=e6]');
  await stepsLeft(page, 2);
  await page.getByRole('button', { name: 'Take back' }).click();
  await stepsLeft(page, 3);
  await atRest(page);
  assert.match(await text(page, '.turn-line'), /Fill d6 to end the push/);
  await page.getByRole('button', { name: 'Take back' }).click();
  await stepsLeft(page, 4);
  assert.match(await page.locator('[data-square=d6]').getAttribute('aria-label'), /silver camel/);
  // The enemy's piece first: nothing but the elephant can follow, so that it does by itself.
  await ways.tap(page, 'd6', 'e6');
  await stepsLeft(page, 2);
  assert.match(await page.locator('[data-square=d6]').getAttribute('aria-label'), /gold elephant/);
  await page.end();
});

test('an earlier turn is looked at while the opponent thinks', async () => {
  const page = await afterSetups();
  await ways.tap(page, 'e2', 'e3');
  await stepsLeft(page, 3);
  const held = await hold(page);
  await page.keyboard.press('e');
  const route = await held();
  await page.locator('.moves button', { hasText: 'setup' }).first().click();
  await page.getByRole('button', { name: 'Back to the game' }).click();
  assert.match(await page.locator('[data-square=e3]').getAttribute('aria-label'), /gold elephant/);
  await route.fulfill({ json: { ...await gameOf(page), winner: 'gold', reason: 'time' } });
  await page.locator('.banner', { hasText: 'on time' }).waitFor();
  assert.equal(await text(page, '#status'), 'Gold won on time'); // without a turn of the opponent
  await page.end();
});

test('an opponent whose answer is lost is asked again', async () => {
  const page = await open(finished, '#/play', { errors: true }); // the lost answer is an error on its console
  await fresh(page);
  const held = await hold(page);
  await page.locator('select[name=player]').selectOption('random');
  await page.locator('select[name=side]').selectOption('silver');
  await page.getByRole('button', { name: 'Begin' }).click();
  const route = await held();
  await page.keyboard.press('u'); // there is nothing to take back, and the opponent continues
  assert.ok(await page.locator('button', { hasText: 'Resign' }).isDisabled());
  // The program plays the turn, but the page does not hear of it.
  const answer = await fetch(route.request().url(), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
  assert.equal(answer.status, 200);
  await route.abort();
  await page.locator('.turn-line', { hasText: 'random is to move' }).waitFor();
  await page.getByRole('button', { name: 'Let the opponent try again' }).click();
  await page.getByRole('button', { name: 'Start' }).waitFor();
  assert.equal(await text(page, '.problem'), '');
  assert.ok(await page.locator('button', { hasText: 'Resign' }).isEnabled());
  await page.end();
});

test('one game in two tabs', async () => {
  const page = await open(finished, '#/play', { errors: true }); // a step that is refused is an error on its console
  await begin(page);
  const other = await open(finished, '#/play'); // a new tab continues with the last game
  await yourTurn(other);
  const first = advance(await gameOf(other));
  await ways.tap(other, name(first & 63), name(target(first)));
  await stepsLeft(other, 3);
  await ways.tap(page, name(first & 63), name(target(first))); // it still shows the board before that step
  await page.locator('.problem', { hasText: 'another tab' }).waitFor();
  await stepsLeft(page, 3);
  await atRest(page);
  // The other tab ends the turn, and is closed before the opponent has played. This one does not know.
  const second = advance(await gameOf(page));
  const held = await hold(other);
  await other.keyboard.press('e');
  await held();
  await other.close();
  await ways.tap(page, name(second & 63), name(target(second)));
  await page.locator('.turn-line', { hasText: '3g' }).waitFor();
  await page.end();
});

test('two games in two tabs', async () => {
  const page = await open(finished, '#/play');
  await begin(page);
  const { id } = await gameOf(page);
  const other = await open(finished, '#/play');
  await yourTurn(other);
  assert.equal((await gameOf(other)).id, id);
  other.once('dialog', (d) => d.accept());
  await other.getByRole('button', { name: 'New game' }).click();
  await page.reload();
  await yourTurn(page);
  await other.reload(); // it has no game now, and does not take that of the first tab
  await other.locator('select[name=player]').selectOption('random');
  await other.getByRole('button', { name: 'Begin' }).click();
  await other.getByRole('button', { name: 'Start' }).waitFor();
  assert.notEqual((await gameOf(other)).id, id);
  await page.reload(); // nor does the first take the second's
  await yourTurn(page);
  assert.equal((await gameOf(page)).id, id);
  await other.end();
  await page.end();
});

test('a game whose opponent is gone shows its moves', async () => {
  const page = await open(finished, '#/play', { errors: true }); // the answers 404 are errors on its console
  await begin(page);
  const { moves } = await gameOf(page);
  await alter(page, { id: 'gone', settings: { player: '0/99999', side: 'gold' } });
  await page.reload();
  await page.locator('.problem', { hasText: 'could not be set up again' }).waitFor();
  await page.locator('#moves').waitFor(); // it can be seen
  assert.equal(await page.locator('#moves').inputValue(), moves);
  await alter(page, { id: 'gone', settings: { player: 'random', side: 'gold' }, opponent: 'smoke, generation 7' }); // another by the same name
  await page.reload();
  await page.locator('.problem', { hasText: 'could not be set up again: smoke, generation 7 is not here now. Its moves are below' }).waitFor();
  assert.equal(await page.locator('#moves').inputValue(), moves);
  await page.locator('select[name=player]').selectOption('random');
  await page.getByRole('button', { name: 'Begin' }).click();
  await yourTurn(page);
  assert.equal((await gameOf(page)).moves, moves);
  await page.end();
});

test('a clock, a handicap, and a game at once', async () => {
  const page = await open(finished, '#/play');
  await fresh(page);
  await page.locator('select[name=player]').selectOption('random');
  await page.locator('select[name=adviser]').selectOption('nobody');
  await page.locator('select[name=handicap]').selectOption('opponent m');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await yourTurn(page);
  assert.equal((await gameOf(page)).board.replaceAll(/[^a-zA-Z]/g, '').length, 31);
  page.once('dialog', (d) => d.dismiss());
  await page.getByRole('button', { name: 'New game' }).click();
  assert.equal(await page.locator('.board.play').count(), 1);
  page.once('dialog', (d) => d.accept());
  await page.getByRole('button', { name: 'New game' }).click();
  assert.equal(await page.locator('select[name=adviser]').inputValue(), '');
  await page.locator('select[name=clock]').selectOption('own');
  await page.locator('input[name=control]').fill('soon');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.locator('.problem', { hasText: 'time control' }).waitFor();
  await page.locator('input[name=control]').fill('0/0:02'); // for a turn; a setup would have a minute more
  await page.getByText('Continue with a saved game').click();
  await page.locator('#moves').fill(setups);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.locator('.banner', { hasText: 'on time' }).waitFor();
  await alter(page, { id: 'gone' }); // as for a new program
  await page.reload();
  await page.locator('.problem', { hasText: 'it is over. Silver won on time. Its moves are below' }).waitFor();
  await page.evaluate(() => { localStorage.clear(); sessionStorage.clear(); });
  await page.goto('about:blank');
  await page.goto(finished + '#/play/now');
  await page.locator('.board.play').waitFor();
  assert.match(page.url(), /#\/play$/);
  await page.close(); // the answer to the wrong time control is an error on its console
});

test('the clock runs while the opponent’s steps are shown', async () => {
  const page = await open(finished, '#/play');
  await page.addInitScript(() => {
    // A wait between two steps is ten seconds, which pass at once.
    const [now, later] = [performance.now.bind(performance), window.setTimeout];
    let passed = 0;
    performance.now = () => now() + passed;
    window.setTimeout = (f, ms, ...more) => {
      const step = ms > 100 && ms < 1000;
      if (step) passed += 10_000;
      return later(f, step ? 0 : ms, ...more);
    };
  });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await fresh(page);
  await page.locator('select[name=player]').selectOption('random');
  await page.locator('select[name=clock]').selectOption('own');
  await page.locator('input[name=control]').fill('50/0');
  await page.getByText('Continue with a saved game').click();
  await page.locator('#moves').fill(setups);
  await page.getByRole('button', { name: 'Begin' }).click();
  await yourTurn(page);
  await ways.tap(page, 'e2', 'e3');
  await stepsLeft(page, 3);
  await page.keyboard.press('e');
  await page.locator('.turn-line', { hasText: '3g' }).waitFor();
  const [minutes, seconds] = (await text(page, '.clock.gold .number')).split(':').map(Number);
  assert.ok(60 * minutes + seconds <= 50 * 60 - 10, `${minutes}:${seconds} is left`);
  await page.end();
});

test('a wrong file says so', async () => {
  const page = await open(finished, '#/games', { errors: true });
  await page.locator('#paste').fill('this is a shopping list');
  await page.getByRole('button', { name: 'Look at it' }).click();
  await page.getByText(/not a game in Arimaa/).waitFor();
  await page.goto(finished + '#/games');
  await page.locator('#paste').fill(setups + '2g Ee2n Ee3n\n2s Xe4n');
  await page.getByRole('button', { name: 'Look at it' }).click();
  await page.getByText(/The text ends with a mistake: .*2s/).waitFor();
  await page.waitForFunction(() => /gold \d+%/.test(document.querySelector('.evalbar').getAttribute('aria-label')));
  await page.getByText('Search this position').click();
  await page.locator('select[name=second]').selectOption({ index: 1 });
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.compare .bars').length === 2);
  await page.getByRole('button', { name: 'Show it on the board' }).first().click();
  await page.locator('.variation', { hasText: '2g' }).waitFor();
  await page.evaluate(() => localStorage.clear());
  await page.goto(finished + '#/play');
  await page.getByText('Continue with a saved game').click();
  await page.locator('#moves').fill('1g nonsense');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.locator('.problem', { hasText: 'not a game' }).waitFor();
  await page.end();
});

test('a browser that keeps nothing shows a pasted game', async () => {
  const page = await open(finished, '#/rules');
  await page.addInitScript(() => Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } }));
  await page.reload();
  await page.goto(finished + '#/games');
  await page.locator('#paste').fill(setups + '2g Ee2n Ee3n\n');
  await page.getByRole('button', { name: 'Look at it' }).click();
  await page.locator('.steps-bar').waitFor();
  await page.end();
});

test('the token keeps strangers out', async () => {
  const address = await start(['page', '--http', '0.0.0.0:0', run]);
  assert.match(address, /\?token=\w{20,}$/);
  const stranger = await open(address, '#/learning', { errors: true });
  await stranger.getByText('open the address that the program printed').waitFor();
  await stranger.end();
  const guest = await open(address, '#' + address.split('#')[1]);
  await guest.locator('.verdict').waitFor();
  assert.ok(!guest.url().includes('token'));
  await guest.reload();
  await guest.locator('.verdict').waitFor();
  await guest.end();
});

const heap = async (session) => {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((m) => m.name === 'JSHeapUsedSize').value / 1e6;
};

const resident = (p) => Number((readFileSync(`/proc/${p.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/) || [])[1]) / 1000;

// Ten pages that stay open. WARREN_SOAK is how long, in seconds.
test('ten pages stay as they are', { skip: !process.env.WARREN_SOAK, timeout: 1000 * (Number(process.env.WARREN_SOAK || 0) + 1200) }, async (t) => {
  const pages = [];
  for (let i = 0; i < 10; i++) pages.push(await open(live, ['#/learning', '#/games', '#/matches', '#/game/0/3', '#/play'][i % 5]));
  const sessions = await Promise.all(pages.map((p) => browser.newCDPSession(p)));
  for (const s of sessions) await s.send('Performance.enable');
  const end = Date.now() + 1000 * Number(process.env.WARREN_SOAK);
  const seen = [];
  while (Date.now() < end) {
    await new Promise((r) => setTimeout(r, Math.min(60_000, end - Date.now())));
    const sizes = [];
    for (const s of sessions) sizes.push(await heap(s));
    sizes.push(...programs.map(resident));
    seen.push(sizes);
    t.diagnostic(`pages ${sizes.slice(0, 10).map((v) => v.toFixed(1)).join(' ')} MB of JavaScript; ${sizes.slice(10).map((v) => `${v.toFixed(0)} MB`).join(', ')} in the programs`);
  }
  const [first, last] = [seen[Math.floor(seen.length / 3)], seen[seen.length - 1]];
  last.forEach((v, i) => assert.ok(v < first[i] + (i < 10 ? 10 : 30), `${i < 10 ? 'page' : 'program'} ${i % 10} has grown from ${first[i]} to ${v} MB`));
  for (const p of pages) await p.end();
});
