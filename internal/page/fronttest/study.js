// The analysis of a game, variations, links, and what the table shows of a game. The tests run in
// browser.test.js.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { focused, fresh, finished, gameOf, open, setups, stepsLeft, text, ways, yourTurn } from './harness.js';
import { fragment } from '../assets/share.js';

const rows = (...list) => list.map((row) => row.padEnd(8, '.')).join('');

/** position has a gold rabbit two steps from its goal and a silver one two from its own. */
const position = `g [${rows('', '', '.......R', '', '....E', 'r', '', '.......e')}]`;

/** missed is the game in which Gold does not see it, and Silver does: Ee4n, end, ra3s, ra2s. */
export const missed = fragment({ position, actions: [28, 256, 144, 136] }, 0);

test('a game is analysed', async () => {
  const page = await open(finished, missed);
  await page.locator('select[name=depth]').selectOption('1000');
  await page.route('**/api/search', () => {}); // it is not answered
  await page.getByRole('button', { name: 'Analyse the game' }).click();
  await page.getByText('turn 1 of 2').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Analyse the game' }).isDisabled());
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('turn 1 of 2').waitFor({ state: 'hidden' });
  await page.unroute('**/api/search');
  await page.locator('select[name=depth]').selectOption('50');
  await page.getByRole('button', { name: 'Analyse the game' }).click();
  await page.locator('.mistakes button').first().waitFor();
  await page.getByText(/with 50 visits for each step.*Gold lost \d+\.\d% a turn: 1 blunder\. Silver lost 0\.0% a turn: no mistake\./).waitFor();
  assert.match(await text(page, '.mistakes'), /^2g\?\? −\d+% Ee4n$/);
  assert.match(await page.locator('.loss').first().textContent(), /^\?\? −\d+%$/);
  await page.getByRole('button', { name: 'To the end' }).click();
  await page.locator('.mistakes button').click();
  const better = page.locator('.better');
  await better.getByText('2g: the network would play').waitFor();
  assert.match(await better.textContent(), /which wins at once/);
  await better.getByRole('button', { name: 'Show it on the board' }).click();
  await page.locator('.variation', { hasText: '2g' }).waitFor();
  for (let n = 0; n < 4; n++) await page.keyboard.press('ArrowRight'); // through the turn that wins
  assert.equal(await page.locator('[data-square$="8"][aria-label*="gold rabbit"]').count(), 1);
  await page.keyboard.press('Escape'); // back to the game, where the line left it
  assert.match(await page.locator('[data-square=h6]').getAttribute('aria-label'), /gold rabbit/);
  await page.locator('.plot canvas').waitFor();
  assert.match(await page.locator('.plot canvas').getAttribute('aria-label'), /by the analysis 0%/);
  await page.end();
});

test('a variation is tried, left and opened again', async () => {
  const page = await open(finished, missed);
  await page.getByText('All turns').press(' '); // which closes the list, and starts no replay
  assert.equal(await page.locator('details', { hasText: 'All turns' }).evaluate((d) => d.open), false);
  assert.equal(await page.getByRole('button', { name: 'Play', exact: true }).count(), 1);
  await page.locator('.cell.can[data-square=e4]').waitFor();
  await ways.tap(page, 'h6', 'h5');
  await page.locator('.problem', { hasText: 'Rabbits do not step backward.' }).waitFor();
  await ways.drag(page, 'e4', 'd4');
  await page.locator('.variation', { hasText: '2g Ee4w' }).waitFor();
  assert.equal(await text(page, '.side .problem'), '');
  await page.getByRole('button', { name: 'End turn' }).click();
  await page.locator('.cell.can[data-square=a3]').waitFor(); // both sides are played
  await ways.tap(page, 'a3', 'a2');
  await page.locator('.variation', { hasText: '2g Ee4w end 2s ra3s' }).waitFor();
  await page.getByRole('button', { name: 'A step back' }).last().press('Enter');
  assert.equal(await focused(page), 'A step back');
  assert.match(await page.locator('[data-square=a3]').getAttribute('aria-label'), /silver rabbit/);
  await page.getByRole('button', { name: 'Back to the game' }).click();
  assert.match(await page.locator('[data-square=e4]').getAttribute('aria-label'), /gold elephant/);
  await page.getByText('Tried before: 1').waitFor();
  await page.getByRole('button', { name: '2g Ee4w end 2s ra3s' }).press('Enter');
  assert.equal(await focused(page), '2g Ee4w end 2s ra3s');
  assert.match(await page.locator('[data-square=d4]').getAttribute('aria-label'), /gold elephant/);
  await page.getByRole('button', { name: 'Back to the game' }).click();
  await page.locator('.cell.can[data-square=e4]').waitFor();
  await ways.tap(page, 'e4', 'e5'); // as the game went: no variation
  await page.locator('.turn-line', { hasText: 'ends the turn' }).waitFor();
  assert.equal(await page.locator('.variation').count(), 0);
  await page.end();
});

test('what cannot be asked says so', async () => {
  const page = await open(finished, '#/rules', { errors: true }); // an answer 500 is an error on its console
  const networks = async () => (await (await fetch(finished + 'api/players')).json()).networks;
  while ((await networks()).length < 2) await page.evaluate(() => new Promise(requestAnimationFrame));
  await page.goto(finished + missed);
  const value = page.locator('.evalbar[aria-label^=gold]');
  await value.waitFor();
  const broken = (route) => route.fulfill({ status: 500, json: { error: 'made up' } });
  await page.route('**/api/analyse', broken);
  await page.locator('select[name=viewer]').selectOption({ index: 1 });
  assert.equal(await value.count(), 0); // it was another network's
  const again = page.getByRole('button', { name: 'Ask it again' });
  await again.waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByText('made up').waitFor();
  await page.unroute('**/api/analyse');
  await again.click();
  await value.waitFor();
  assert.equal(await page.getByText('made up').count(), 0);
  await page.route('**/api/position', broken);
  await page.keyboard.press('ArrowLeft');
  await page.locator('.side .problem', { hasText: 'made up' }).waitFor();
  await page.end();
});

test('a key that is held down does not change the address at every step', async () => {
  const setup = [...Array(8).fill(257), 258, 258, 259, 259, 260, 260, 261, 262];
  const page = await open(finished, fragment({ actions: [...setup, ...setup] }, 0));
  await page.locator('.steps-bar').waitFor();
  const written = await page.evaluate(() => {
    let n = 0;
    const { replaceState } = history;
    history.replaceState = (...all) => { n++; replaceState.apply(history, all); };
    for (let i = 0; i < 32; i++) document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
    return n;
  });
  assert.equal(written, 0);
  await page.waitForURL(/\/32$/);
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(/\/31$/);
  await page.end();
});

test('a step is not written over the address to which the browser went back', async () => {
  const page = await open(finished, '#/rules');
  await page.goto(finished + missed);
  await page.locator('.steps-bar').waitFor();
  const reached = await page.evaluate(() => new Promise((resolve) => {
    window.setTimeout = (f) => addEventListener('popstate', f); // which comes before the page hears that the address has changed
    addEventListener('hashchange', () => resolve(location.hash));
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
    history.back();
  }));
  assert.equal(reached, '#/rules');
  await page.end();
});

test('a link opens what it was made of, and a position is pasted', async () => {
  const page = await open(finished, missed);
  await page.locator('.cell.can[data-square=e4]').waitFor();
  await ways.tap(page, 'e4', 'd4');
  await page.locator('.variation', { hasText: '2g Ee4w' }).waitFor();
  await page.getByText('Share', { exact: true }).click();
  const link = await page.getByLabel('Link to this position (works on this computer only)', { exact: true }).inputValue();
  const other = await open(finished, '#' + link.split('#')[1]);
  await other.locator('.turn-line', { hasText: 'to move' }).or(other.locator('.turn-line', { hasText: 'No result' })).waitFor();
  assert.match(await other.locator('[data-square=d4]').getAttribute('aria-label'), /gold elephant/);
  await other.end();
  const short = page.getByLabel('This position, in short notation', { exact: true });
  assert.equal(await short.count(), 0); // which cannot say how many steps are left
  await page.getByRole('button', { name: 'End turn' }).click();
  await short.waitFor();
  assert.match(await short.inputValue(), /^s /);
  await page.getByRole('button', { name: 'Back to the game' }).click();
  await short.waitFor();
  assert.equal(await short.inputValue(), position.replaceAll('.', ' '));
  await page.goto(finished + '#/games');
  await page.locator('#paste').fill(position);
  await page.getByRole('button', { name: 'Look at it' }).click();
  await page.getByRole('heading', { name: 'A position' }).waitFor();
  await page.locator('.turn-line', { hasText: 'Gold to move' }).waitFor();
  await page.evaluate((moves) => { localStorage['warren.pasted'] = moves; }, setups); // as another tab does
  await page.reload();
  await page.locator('.steps-bar').waitFor();
  assert.equal(await text(page, 'h1'), 'A position');
  await page.end();
  const damaged = await open(finished, '#/study/AB!/0', { errors: true });
  await damaged.locator('.problem', { hasText: 'link is damaged' }).waitFor();
  await damaged.end();
});

/** against begins a game from moves against the run's newest network at level 1. */
export async function against(page, moves) {
  await fresh(page);
  await page.locator('select[name=player]').selectOption({ index: 0 });
  await page.locator('select[name=level]').selectOption('1');
  await page.getByText('Continue with a saved game').click();
  await page.locator('#moves').fill(moves);
  await page.getByRole('button', { name: 'Begin' }).click();
  await yourTurn(page);
}

test('the table shows what was captured, the last turn and earlier ones, and the level', async () => {
  const page = await open(finished, '#/play');
  await against(page, setups + '2g Cc2n Cc3x Ee2n\n2s ee7s\n');
  assert.match(await page.locator('.captures').first().getAttribute('aria-label'), /silver has captured gold cat, and is ahead by 1/);
  assert.equal(await page.locator('.arrows .order').count(), 1);
  await page.locator('select[name=strength]').selectOption('3');
  await page.waitForFunction(() => JSON.parse(sessionStorage['warren.game']).settings.level === '3');
  assert.equal((await gameOf(page)).level, '3');
  await yourTurn(page);
  await page.locator('.moves button', { hasText: 'Cc2n' }).click();
  await page.locator('.turn-line', { hasText: 'After 2g' }).waitFor();
  assert.match(await page.locator('[data-square=e7]').getAttribute('aria-label'), /silver elephant/);
  assert.match(await focused(page), /^Cc2n/);
  assert.equal(await page.locator('.arrows .order').count(), 2);
  assert.ok(await page.getByRole('button', { name: 'End turn' }).isDisabled());
  await page.getByRole('button', { name: 'Back to the game' }).click();
  assert.match(await page.locator('[data-square=e6]').getAttribute('aria-label'), /silver elephant/);
  await page.getByRole('button', { name: 'Evaluation' }).click();
  await page.locator('.evalbar[aria-label^=gold]').waitFor();
  await page.locator('.moves button', { hasText: 'setup' }).first().click();
  await page.locator('.turn-line', { hasText: 'After 1g' }).waitFor(); // when only Gold's pieces stood there
  assert.deepEqual(await page.locator('.captures').evaluateAll((all) => all.map((x) => x.getAttribute('aria-label'))), ['silver has captured nothing', 'gold has captured nothing']);
  assert.equal(await page.locator('.evalbar').getAttribute('aria-label'), 'No value');
  await page.getByRole('button', { name: 'Back to the game' }).click();
  await page.locator('.evalbar[aria-label^=gold]').waitFor();
  await ways.tap(page, 'e3', 'e4');
  await stepsLeft(page, 3);
  assert.equal(await page.locator('.arrows .order').count(), 0); // it is in the way now
  await page.end();
});

test('after a game: analysis, and a rematch with the sides swapped', async () => {
  const page = await open(finished, '#/play');
  await against(page, setups + '2g Ee2n\n2s ee7s\n');
  await page.getByText('More', { exact: true }).click();
  page.once('dialog', (d) => d.accept());
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.locator('.moves button', { hasText: 'resigns' }).click();
  await page.locator('.turn-line', { hasText: 'After 3g' }).waitFor();
  assert.equal(await page.locator('.arrows .order').count(), 0);
  await page.getByRole('button', { name: 'Analyse the game' }).click();
  await page.getByText(/visits for each step\..*Gold lost/).waitFor();
  await page.getByText('Silver won by resignation').waitFor();
  assert.deepEqual(await page.locator('.strip b:first-of-type').allInnerTexts(), ['Gold', 'Silver']);
  await page.goBack();
  await page.getByRole('button', { name: 'Swap sides' }).click();
  await page.getByRole('button', { name: 'Start' }).waitFor();
  assert.equal((await gameOf(page)).side, 'silver');
  await page.keyboard.press('h'); // a setup has no hint
  assert.equal(await page.getByText(/Thinking|A hint/).count(), 0);
  await page.end();
});
