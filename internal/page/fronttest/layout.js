// The page at every size, light and dark: nothing is wider than the window, boards are as large as
// it allows, and axe has nothing to say. The tests run in browser.test.js.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { finished, open, setups } from './harness.js';
import { against, missed } from './study.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** sizes are those of windows, the least side of a board there, and whether axe looks: at one of each layout. Dark pages differ in their colours alone, so one size does for them. */
const sizes = [[320, 640, 270, true], [390, 844, 330], [844, 390, 310, true], [1440, 900, 780, true], [2560, 1440, 1300]];

/** boards are the places with one board and what is said of it. */
const boards = ['#/game/0/3', '#/play/now', '#/puzzles', 'table', 'study'];

/** arrive opens a part of the page and waits until it is complete. */
async function arrive(place, dark) {
  const page = await open(finished, { table: '#/play', study: missed }[place] || place, { dark });
  if (place === 'table') {
    await against(page, `${setups}2g Cc2n Cc3x Cf2n Cf3x\n2s dc7s dc6x df7s df6x\n`);
    await page.getByRole('button', { name: 'Evaluation' }).click();
    await page.waitForFunction(() => document.querySelector('.evalbar .number').textContent !== '');
    await page.locator('[data-square=a1]').click();
    await page.locator('.problem', { hasText: 'No square' }).waitFor();
  } else await page.evaluate(() => localStorage.clear());
  await page.waitForSelector('h1');
  if (place === 'study') {
    await page.getByRole('button', { name: 'Analyse the game' }).click();
    await page.locator('.mistakes button').click();
    await page.getByText('Share', { exact: true }).click();
    await page.locator('.copy').first().waitFor();
  }
  if (place === '#/learning') await page.locator('.plot').first().waitFor();
  await page.waitForFunction(() => !/…$/.test(document.querySelector('main').textContent));
  return page;
}

/** findings returns what axe finds. */
async function findings(page) {
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map((v) => `${v.id}: ${v.nodes.slice(0, 2).map((n) => `${n.html.slice(0, 160)} ${n.any.map((x) => x.message).join('; ').slice(0, 160)}`).join(' | ')}`);
}

for (const place of ['#/learning', '#/games', '#/matches', '#/play', '#/rules', ...boards]) {
  test(`every size of ${place}`, async () => {
    for (const dark of [false, true]) {
      const page = await arrive(place, dark);
      await page.evaluate(axe);
      for (const [width, height, least, look] of dark ? [sizes[3]] : sizes) {
        const where = `${place} at ${width}x${height}, ${dark ? 'dark' : 'light'}`;
        await page.setViewportSize({ width, height });
        await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
        const seen = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, board: document.querySelector('.desk .board')?.getBoundingClientRect().toJSON(), top: scrollTo(0, 0) }));
        assert.ok(seen.wide <= width, `${where} is ${seen.wide} wide`);
        assert.equal(Boolean(seen.board), boards.includes(place), `${where}: a board`);
        if (seen.board) {
          assert.ok(seen.board.width >= least && seen.board.height <= height, `${where}: the board is ${seen.board.width} by ${seen.board.height}`);
          if (width > height) assert.ok(seen.board.bottom <= height, `${where}: the board ends at ${seen.board.bottom}`);
        }
        if (look) assert.deepEqual(await findings(page), [], where);
      }
      await page.end();
    }
  });
}
