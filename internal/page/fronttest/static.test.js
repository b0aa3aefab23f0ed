// The board without a server, in a real browser, from a plain file server. WARREN_STATIC is its folder.

import assert from 'node:assert/strict';
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { endTurn, fromOf, square, toOf } from '../assets/notation.js';

const folder = process.env.WARREN_STATIC;
const types = { '.js': 'text/javascript', '.html': 'text/html', '.css': 'text/css', '.svg': 'image/svg+xml', '.gz': 'application/gzip' };
const patience = 120_000; // as in browser.test.js
let server;
let browser;
let address;

before(async () => {
  server = createServer((request, response) => {
    const file = join(folder, request.url.replace(/^\/somewhere\//, '') || 'index.html');
    if (!request.url.startsWith('/somewhere/') || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': types[extname(file)] });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  address = `http://127.0.0.1:${server.address().port}/somewhere/`;
  browser = await chromium.launch({
    executablePath: process.env.WARREN_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** open opens the page. No request may leave its folder, and nothing may go wrong as long as it is open. */
async function open() {
  const page = await browser.newPage();
  const wrong = [];
  page.setDefaultTimeout(patience);
  page.on('request', (r) => { if (!r.url().startsWith(address)) wrong.push('asks ' + r.url()); });
  page.on('response', (r) => { if (!r.ok()) wrong.push(`${r.status()} ${r.url()}`); });
  page.on('pageerror', (e) => wrong.push(e.stack));
  page.on('console', (m) => { if (m.type() === 'error') wrong.push(m.text()); });
  await page.goto(address);
  page.end = async () => {
    await page.close();
    assert.deepEqual(wrong, []);
  };
  return page;
}

test('it is small', () => {
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  assert.ok(bytes < 6e6, `${bytes} bytes`);
});

test('it says what it is, and only what is there', async () => {
  const page = await open();
  await page.getByText('Set up your pieces').waitFor();
  assert.match(await page.locator('footer').textContent(), /in your browser.*nothing is sent/);
  assert.deepEqual(await page.locator('.bar nav a').allTextContents(), ['Play', 'Puzzles', 'Rules']);
  await page.getByRole('link', { name: 'Rules' }).first().click();
  await page.getByRole('heading', { name: 'How Arimaa is played' }).waitFor();
  await page.goto(address + '#/learning');
  await page.reload();
  await page.locator('.board').waitFor();
  await page.end();
});

test('a whole game, from the setups to its end', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForFunction(() => document.querySelector('.turn-line')?.textContent.includes('Your turn'));
  const played = await page.evaluate(async () => {
    const { get, post } = await import('./api.js');
    const { networks } = await get('players');
    let state = await post('play', { player: networks[0].id, level: '5', side: 'gold' });
    const replies = [];
    let seed = 1;
    const some = (list) => list[(seed = (seed * 48271) % 2147483647) % list.length];
    while (!state.winner) {
      if (state.toMove !== state.side) {
        const begun = performance.now();
        state = await post(`play/${state.id}/reply`);
        replies.push(performance.now() - begun);
      } else if (state.setup) {
        state = await post(`play/${state.id}/setup`, { pieces: 'Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Ha2 Db2 Cc2 Ed2 Me2 Cf2 Dg2 Hh2' });
      } else {
        state = await post(`play/${state.id}/play`, { actions: [some(state.legal)] });
      }
    }
    const refused = await post(`play/${state.id}/reply`).catch((error) => error.message);
    return { winner: state.winner, moves: state.moves, replies, refused };
  });
  await page.evaluate((moves) => { sessionStorage['warren.pasted'] = moves; }, played.moves);
  await page.goto(address + '#/analysis');
  await page.locator('.steps-bar').waitFor();
  assert.equal(await page.getByText('Back to the').count(), 0); // there is no list
  assert.equal(played.winner, 'silver'); // level 5 beats one who plays at random
  assert.match(played.refused, /over/);
  assert.ok(played.replies.length > 5);
  console.log(`replies: ${played.replies.length}, the longest ${Math.round(Math.max(...played.replies))} ms`);
  await page.end();
});

test('puzzles', async () => {
  const page = await open();
  await page.goto(address + '#/puzzles/goal-003');
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  const solved = page.locator('.told', { hasText: 'Right.' });
  for (let n = 1; n <= 3; n++) {
    await page.getByText(`${n - 1} of 605 solved, ${n - 1} in a row`).waitFor();
    const actions = await page.evaluate(async () => {
      const { post } = await import('./api.js');
      return (await post(`puzzles/${location.hash.split('/').at(-1)}`)).actions;
    });
    for (const [i, action] of actions.entries()) {
      if (action === endTurn) await page.getByRole('button', { name: 'End turn' }).click();
      else {
        await page.locator(`[data-square=${square(fromOf(action))}]`).click();
        await page.locator(`[data-square=${square(toOf(action))}].goal`).click();
      }
      await page.waitForFunction((k) => document.querySelectorAll('.arrows .order').length === k, actions.slice(0, i + 1).filter((a) => a !== endTurn).length);
    }
    await solved.waitFor();
    if (n === 1) await page.locator('select[name=kind]').selectOption('goal');
    else await page.getByRole('button', { name: /Next/ }).click();
    await solved.waitFor({ state: 'hidden' });
  }
  await page.end();
});

test('a search can be cancelled, and other requests are answered meanwhile', async () => {
  const page = await open();
  await page.getByText('Set up your pieces').waitFor();
  const order = await page.evaluate(async () => {
    const { get, post } = await import('./api.js');
    const order = [];
    const stop = new AbortController();
    const game = await post('play', { player: 'given', level: '10', side: 'silver' });
    await post(`play/${game.id}/reply`); // a setup, which takes no search
    await post(`play/${game.id}/setup`, { pieces: 'ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 ha7 db7 cc7 ed7 me7 cf7 dg7 hh7' });
    const long = post(`play/${game.id}/reply`, {}, stop.signal).then(() => order.push('reply'), (error) => order.push(error.name));
    await get('players');
    order.push('players');
    stop.abort();
    await long;
    const again = await get(`play/${game.id}`); // as soon as the search has left the game
    order.push(again.toMove);
    return order;
  });
  assert.deepEqual(order, ['players', 'AbortError', 'gold']);
  await page.end();
});

test('it says when the program has ended', async () => {
  const page = await open();
  await page.getByText('Set up your pieces').waitFor();
  await page.workers()[0].evaluate(() => self.request('not a number', 'GET', 'players', '')); // it panics
  const said = await page.evaluate(async () => (await import('./api.js')).get('players').catch((error) => error.message));
  assert.equal(said, 'the program has ended; reload the page');
  await page.close();
});
