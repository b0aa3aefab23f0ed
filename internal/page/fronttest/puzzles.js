// Puzzles are solved, with hints and in a row. The tests run in browser.test.js.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished, open } from './harness.js';
import { endTurn, fromOf, square, toOf } from '../assets/notation.js';

/** solve taps the answer to the puzzle that is shown. */
async function solve(page) {
  const id = (await page.evaluate(() => location.hash)).split('/').at(-1);
  const actions = await page.evaluate(async (path) => {
    const answer = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
    return (await answer.json()).actions;
  }, `/api/puzzles/${id}`);
  for (const [i, action] of actions.entries()) {
    if (action === endTurn) await page.getByRole('button', { name: 'End turn' }).click();
    else {
      await page.locator(`[data-square=${square(fromOf(action))}]`).click();
      await page.locator(`[data-square=${square(toOf(action))}].goal`).click();
    }
    await page.waitForFunction((n) => document.querySelectorAll('.arrows .order').length === n, actions.slice(0, i + 1).filter((a) => a !== endTurn).length);
  }
}

test('puzzles are solved, with hints and in a row', async () => {
  const page = await open(finished, '#/puzzles/goal-003');
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByText('0 of 605 solved, 0 in a row').waitFor();
  assert.equal(await page.locator('select[name=difficulty]').inputValue(), 'easy');
  await page.evaluate(() => { localStorage['warren.puzzle.solved'] = '{"goal-004":1}'; }); // as another tab does
  await solve(page);
  await page.locator('.told', { hasText: 'Right.' }).waitFor();
  await page.getByText('2 of 605 solved, 1 in a row').waitFor();
  await page.locator('select[name=kind]').selectOption('goal');
  await page.locator('.lede', { hasText: /^(Gold|Silver) to move\. Score/ }).waitFor();
  assert.doesNotMatch(await page.evaluate(() => location.hash), /goal-003/);
  await page.getByRole('button', { name: 'Hint' }).click();
  await page.locator('.told', { hasText: /^The piece on [a-h][1-8] moves first\.$/ }).waitFor();
  for (let i = 0; i < 4; i++) await page.getByRole('button', { name: 'Hint' }).click();
  await page.locator('.told', { hasText: /^The answer is / }).waitFor();
  await page.getByText('2 of 605 solved, 0 in a row').waitFor();
  await page.locator('select[name=difficulty]').selectOption('hard');
  await page.locator('select[name=kind]').selectOption('trap');
  await page.locator('.told', { hasText: 'There are no such puzzles.' }).waitFor();
  await page.goto(finished + '#/puzzles');
  await page.reload();
  await page.locator('.board .piece').first().waitFor(); // what matches no puzzle is not kept
  await page.close();
});

test('a trap that is stepped into is punished', async () => {
  const page = await open(finished, '#/puzzles/trap-002');
  const turns = page.locator('.side .stack button');
  await turns.first().waitFor();
  const said = [];
  for (let i = 0; i < await turns.count(); i++) {
    await turns.nth(i).click();
    const status = page.locator('.told');
    await page.waitForFunction(() => document.querySelector('.told').textContent !== '');
    said.push(await status.textContent());
    if (said.at(-1) === 'Right.') break;
    assert.equal(await page.locator('.cell.can').count(), 0); // the opponent's turn is not the visitor's
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForFunction(() => document.querySelector('.told').textContent === '');
  }
  assert.equal(said.at(-1).slice(0, 6), 'Right.');
  assert.ok(said.slice(0, -1).every((s) => /^Not so\. Then \w+ wins by \w/.test(s)), said.join());
  await page.close();
});

test('an answer is judged once', async () => {
  const page = await open(finished, '#/puzzles/trap-002');
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  const judged = [];
  page.on('response', (r) => { if (r.url().endsWith('/api/puzzles/trap-002')) judged.push(r.status()); });
  const right = await page.evaluate(async () => {
    const answer = await fetch('/api/puzzles/trap-002', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
    return (await answer.json()).text;
  });
  // Both clicks come before the first is answered.
  await page.getByRole('button', { name: right, exact: true }).evaluate((button) => { button.click(); button.click(); });
  await page.getByRole('status').filter({ hasText: 'Right.' }).waitFor();
  await page.getByText('1 of 605 solved').waitFor();
  assert.deepEqual(judged, [200, 200]); // the answer that was asked for, and one that was judged
  assert.equal(await page.getByText('1 in a row').count(), 1);
  await page.close();
});
