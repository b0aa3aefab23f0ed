// What the page shows of runs: curves that can be smoothed and made large, settings to compare, and
// a run that has only begun. The tests run in browser.test.js.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { finished, focused, folder, live, open, programs, run, start, text } from './harness.js';

test('curves are smoothed, made large and drawn on a logarithmic axis', async () => {
  const page = await open(live, '#/learning');
  const plot = page.locator('.plot', { hasText: 'Policy loss' });
  await plot.locator('canvas').waitFor();
  assert.equal(await text(page, '.run-name'), 'smoke');
  assert.match(await page.title(), /^smoke/);
  await page.locator('input[name=smooth]').fill('0.8');
  await page.locator('input[name=log]').check();
  assert.deepEqual(await page.evaluate(() => [localStorage['warren.smooth'], localStorage['warren.log']]), ['0.8', 'on']);
  const small = (await plot.locator('canvas').boundingBox()).height;
  await plot.locator('canvas').click();
  await page.waitForFunction((h) => document.querySelector('.plot.large canvas').clientHeight > 2 * h, small);
  await plot.getByRole('button', { name: 'Large of Policy loss' }).click();
  assert.equal(await page.locator('.plot.large').count(), 0);
  await page.evaluate(() => localStorage.clear());
  await page.end();
});

test('a tab that was left open shows the run that trains at its address now', async () => {
  const page = await open(live, '#/rules');
  let name = 'first';
  const whole = []; // whose rows were all asked for
  await page.route('**/api/runs/0/series*', async (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('from'));
    if (!from) whole.push(name);
    const steps = Array.from({ length: 60 }, (_, i) => i + 1).filter((s) => s >= from);
    await route.fulfill({ json: {
      name, verdict: '', steps, times: steps.map((s) => s * 1000 + name.length), values: { 'loss/policy': steps.map(() => name.length) }, ratings: [], mixed: false,
    } });
  });
  await page.goto(live + '#/learning');
  await page.locator('.run-name', { hasText: 'first' }).waitFor();
  name = 'another';
  await page.locator('.run-name', { hasText: 'another' }).waitFor();
  assert.deepEqual(whole, ['first', 'another']);
  await page.end();
});

test('what is used stays while the rest is drawn anew', async () => {
  const page = await open(live, '#/learning');
  await page.locator('.plot canvas').first().waitFor();
  const axis = page.getByRole('button', { name: 'games', exact: true });
  await axis.press('Enter');
  assert.equal(await axis.getAttribute('aria-pressed'), 'true');
  assert.equal(await focused(page), await axis.textContent());
  const link = page.getByRole('link', { name: 'See the running games' });
  await link.evaluate((a) => { a.dataset.first = 'yes'; });
  const title = await page.locator('.live-line b').elementHandle();
  await page.waitForFunction((b) => !b.isConnected, title);
  assert.equal(await link.getAttribute('data-first'), 'yes');
  await link.press('Enter');
  await page.getByRole('heading', { name: 'Games', exact: true }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  await page.evaluate(() => localStorage.clear());
  await page.end();
});

test('an axis has room for its numbers', async () => {
  const page = await open(finished, '#/rules');
  const drawn = await page.evaluate(async () => {
    const { Plot } = await import('/plot.js');
    const scales = [];
    for (const [log, ys] of [[false, [0.003984, 0.003986]], [true, [0.5, 5000]], [true, [-1, 1]], [true, [3, 3]]]) {
      const plot = new Plot({ title: 'Made up', xTitle: 'generation', log, curves: [{ title: 'a', color: 1, points: ys.map((y, x) => ({ x, y })) }] });
      document.body.append(plot.element);
      plot.draw();
      const g = plot.canvas.getContext('2d');
      scales.push({ log: plot.scale.log, labels: plot.scale.yLabels, clipped: Math.max(...plot.scale.yLabels.map((t) => g.measureText(t).width)) > plot.scale.left - 7 });
      plot.close();
      plot.element.remove();
    }
    return scales;
  });
  assert.deepEqual(drawn.map((s) => [s.log, s.clipped]), [[false, false], [true, false], [false, false], [true, false]]);
  assert.ok(drawn[0].labels.every((t) => t.startsWith('0.0039')), drawn[0].labels.join(' '));
  assert.ok(['1', '10', '100', '1000'].every((t) => drawn[1].labels.includes(t)), drawn[1].labels.join(' '));
  await page.end();
});

test('settings of runs are compared, and the first minutes of a run', async () => {
  const train = (address) => start(['train', '--config', 'quick', '--run', join(folder, 'young'), '--http', address, '--set', 'loop.bootstrap_games=1000000']);
  const young = await train('127.0.0.1:0');
  const trains = programs.at(-1);
  const page = await open(young, '#/learning', { errors: true }); // the program ends
  await page.locator('.first-steps', { hasText: 'generation 0' }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.live-boards .piece').length > 20);
  assert.equal(await page.locator('.plot').count(), 0);
  await page.locator('.live-line', { hasText: /evals\/s/ }).waitFor();
  const both = await open(await start(['page', '--http', '127.0.0.1:0', run, join(folder, 'young')]), '#/learning');
  await both.getByText('Settings that differ').click();
  await both.locator('details tr', { hasText: 'loop.bootstrap_games' }).getByText('1000000').waitFor();
  assert.equal(await both.locator('details tr', { hasText: 'selfplay.search.proofs' }).count(), 0);
  await both.getByLabel('smoke', { exact: true }).uncheck();
  await both.locator('.plots').waitFor({ state: 'hidden' });
  assert.ok(await both.getByLabel('smoke', { exact: true }).isVisible()); // although there is no curve of the other
  await both.getByLabel('smoke', { exact: true }).check();
  await both.getByLabel('young').uncheck();
  await both.getByText('Settings', { exact: true }).waitFor();
  await both.locator('details tr', { hasText: /^seed/ }).waitFor();
  await both.locator('.plot', { hasText: 'Rating' }).waitFor(); // the last to go
  await both.getByLabel('smoke', { exact: true }).uncheck();
  assert.equal(await both.locator('.plot').count(), 0);
  await both.goto(new URL('#/games', both.url()).href);
  await both.locator('select[name=run]').selectOption('young');
  await both.getByLabel('Generation').fill('7');
  const cleared = both.waitForRequest('**/api/runs/1/games?'); // with no filter, and of the same run
  await both.getByRole('button', { name: 'Clear' }).click();
  await cleared;
  assert.equal(await both.locator('select[name=run]').inputValue(), '1');
  await both.end();
  await page.goto(young + '#/games');
  let release;
  const released = new Promise((r) => { release = r; });
  await page.route('**/api/runs/0/games?*', async (route) => {
    const response = await route.fetch();
    await released;
    await route.fulfill({ response }).catch(() => {}); // a request from before the reload is gone
  });
  await page.reload(); // the boards of the other part are gone
  await page.waitForFunction(() => document.querySelectorAll('.live-boards .piece').length > 20);
  const curves = await open(young, '#/rules', { errors: true });
  let asked = 0;
  await curves.route('**/api/runs/0/series*', async (route) => {
    const response = await route.fetch();
    if (asked++ > 0) await released;
    await route.fulfill({ response });
  });
  await curves.goto(young + '#/learning');
  while (asked < 2) await curves.evaluate(() => new Promise(requestAnimationFrame));
  trains.removeAllListeners('exit');
  trains.kill('SIGKILL');
  await page.locator('.problem', { hasText: 'Connection lost' }).waitFor(); // the boards do not go without a word
  await curves.locator('.problem', { hasText: 'Connection lost' }).waitFor();
  const late = curves.waitForResponse('**/api/runs/0/series*');
  release();
  await (await late).finished();
  await curves.evaluate(() => new Promise(requestAnimationFrame));
  assert.match(await text(curves, '.problem'), /^Connection lost/);
  await curves.end();
  await page.getByText('Looking…').waitFor({ state: 'detached' });
  assert.match(await text(page, '.problem'), /^Connection lost/); // an answer that comes late does not take it back
  assert.equal(await page.locator('.live-boards .piece').count(), 0);
  await page.unroute('**/api/runs/0/games?*');
  await page.getByLabel('Generation').fill('7');
  await page.getByLabel('Generation').blur();
  await page.locator('.problem', { hasText: /^connection lost/ }).waitFor();
  assert.equal(await page.getByText('No stored game matches.').count(), 0);
  await train(new URL(young).host);
  await page.getByText('No stored game matches.').waitFor(); // the list is again what the form asks for
  assert.equal(await text(page, '.problem'), '');
  await page.end();
});
