// A real page of a real run in a real browser, for the tests beside this file. WARREN_PROGRAM is
// the program, and WARREN_CHROMIUM the browser.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';

export const patience = 120_000; // only for what never happens: a busy machine takes minutes for what takes seconds on a quiet one
export const folder = mkdtempSync(join(tmpdir(), 'warren-'));
export const run = join(folder, 'smoke');
export const programs = [];
export let browser;
export let live; // the address of the page of the training
export let finished; // and of warren page

/** start starts a program and returns the address that it prints. */
export function start(args) {
  return new Promise((resolve, reject) => {
    // Training would slow down the browser. Windows has no nice.
    const nice = args[0] === 'train' && process.platform !== 'win32' ? ['nice', '-n', '10'] : [];
    const [command, ...rest] = [...nice, process.env.WARREN_PROGRAM, ...args];
    const p = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
    programs.push(p);
    let said = '';
    p.stderr.on('data', (d) => {
      said += d;
      const m = said.match(/page is at (http:\S+?)"?\s/);
      if (m) resolve(m[1]);
    });
    p.on('exit', (code, signal) => {
      const error = new Error(`warren ${args[0]} ended (${signal || code}): ${said.slice(-2000)}`);
      if (/page is at/.test(said)) throw error; // fails the test that it happens in
      reject(error);
    });
  });
}

before(async () => {
  browser = await chromium.launchPersistentContext(join(folder, 'browser'), {
    executablePath: process.env.WARREN_CHROMIUM, headless: true, acceptDownloads: true, handleSIGINT: false,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  // A long look needs a run whose generations do not come several a second.
  const pace = process.env.WARREN_SOAK ? { 'match.every': 20, 'loop.games_per_generation': 64 } : { 'match.every': 2 };
  const settings = { 'loop.generations': 99999, 'match.games': 2, 'data.games_per_shard': 8, 'data.material_weight.final': 0, ...pace };
  live = await start(['train', '--config', 'smoke', '--run', run, '--http', '127.0.0.1:0',
    ...Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])]);
  finished = await start(['page', '--http', '127.0.0.1:0', run]);
});

after(async () => {
  await browser?.close();
  for (const p of programs) {
    p.removeAllListeners('exit');
    if (p.exitCode !== null || p.signalCode !== null) continue;
    const gone = new Promise((r) => p.on('exit', r));
    p.kill('SIGKILL');
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

// What is interrupted has no after. Playwright ends the browser on exit.
process.on('SIGINT', () => process.exit(1));
process.on('exit', () => programs.forEach((p) => p.kill('SIGKILL')));

/** open opens a place of the page. What the page must never do is asserted for as long as it is open. */
export async function open(address, place, options = {}) {
  const page = await browser.newPage();
  const wrong = [];
  page.setDefaultTimeout(patience);
  page.setDefaultNavigationTimeout(patience);
  page.on('request', (r) => { if (!r.url().startsWith(new URL(address).origin) && !r.url().startsWith('blob:')) wrong.push('asks ' + r.url()); });
  page.on('pageerror', (e) => wrong.push(e.stack));
  page.on('console', (m) => { if (m.type() === 'error' && !options.errors) wrong.push(m.text()); });
  await page.setViewportSize({ width: options.width || 1280, height: options.height || 900 });
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: options.dark ? 'dark' : 'light' });
  await page.goto(address.split('#')[0] + place);
  page.end = async () => {
    await page.close();
    assert.deepEqual(wrong, []);
  };
  return page;
}

export const yourTurn = (page) => page.waitForFunction(() => document.querySelector('.turn-line')?.textContent.includes('Your turn'));

/** atRest waits until the page has what the program answered: before, it takes no step. */
export const atRest = (page) => page.waitForFunction(() => document.querySelector('.board').getAttribute('aria-busy') === 'false');

/** stepsLeft waits until the page shows how many steps are left in the person's turn. */
export const stepsLeft = (page, n) => page.waitForFunction((left) => document.querySelectorAll('.pips .left').length === left, n);

/** focused is the text of what has the focus. */
export const focused = (page) => page.evaluate(() => document.activeElement.textContent);

export const text = (page, selector) => page.locator(selector).first().textContent();

/** fresh loads the page again as a browser that has no game of an earlier test. */
export async function fresh(page) {
  // Before the page's own scripts: the old document may be about to remember its game.
  await page.addInitScript(() => {
    if (sessionStorage.getItem('fresh')) return;
    localStorage.clear();
    sessionStorage.clear();
    sessionStorage.setItem('fresh', 'yes');
  });
  await page.reload();
}

/** begin begins a game against the random player. */
export async function begin(page, side = 'gold') {
  await fresh(page);
  await page.locator('select[name=player]').selectOption('random');
  await page.locator('select[name=side]').selectOption(side);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await yourTurn(page);
}

export const gameOf = (page) => page.evaluate(async () => (await fetch('/api/play/' + JSON.parse(sessionStorage['warren.game']).id)).json());

/** alter changes what the tab and the browser keep of the game. */
export const alter = (page, changes) => page.evaluate((c) => {
  for (const store of [sessionStorage, localStorage]) store['warren.game'] = JSON.stringify({ ...JSON.parse(store['warren.game']), ...c });
}, changes);

/** advance chooses a step that brings a rabbit home, or else some step. */
export function advance(state) {
  const gold = state.side === 'gold';
  const score = (a) => {
    if (a >= 256) return -50;
    const from = a & 63;
    const piece = state.board[from ^ 56];
    const rank = gold ? from >> 3 : 7 - (from >> 3);
    const ahead = (a >> 6) === (gold ? 0 : 2);
    if (piece === (gold ? 'R' : 'r')) return ahead ? 10 * rank + 1 : rank - 2;
    return -10 - ((from * 7 + state.moves.length) % 13);
  };
  return [...state.legal].sort((x, y) => score(y) - score(x))[0];
}

export const name = (n) => 'abcdefgh'[n & 7] + ((n >> 3) + 1);
export const target = (a) => (a & 63) + [8, 1, -8, -1][a >> 6];

export const ways = {
  tap: async (page, from, to) => {
    await page.click(`[data-square=${from}]`);
    await page.click(`[data-square=${to}]`);
  },
  drag: async (page, from, to) => {
    const [a, b] = [await page.locator(`[data-square=${from}]`).boundingBox(), await page.locator(`[data-square=${to}]`).boundingBox()];
    await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
    await page.mouse.down();
    await page.mouse.move(a.x + a.width / 2 + 9, a.y + a.height / 2 + 9);
    await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 3 });
    await page.mouse.up();
  },
  keyboard: async (page, from, to) => {
    for (const square of [from, to]) {
      const here = await page.evaluate(() => document.querySelector('.cell[tabindex="0"]').dataset.square);
      if (!(await page.evaluate(() => document.activeElement.classList.contains('cell')))) {
        // Tab reaches the board from anywhere.
        for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.classList.contains('cell'))); i++) await page.keyboard.press('Tab');
      }
      const [dx, dy] = [square.charCodeAt(0) - here.charCodeAt(0), Number(square[1]) - Number(here[1])];
      for (let i = 0; i < Math.abs(dx); i++) await page.keyboard.press(dx > 0 ? 'ArrowRight' : 'ArrowLeft');
      for (let i = 0; i < Math.abs(dy); i++) await page.keyboard.press(dy > 0 ? 'ArrowUp' : 'ArrowDown');
      await page.keyboard.press('Enter');
    }
  },
};

export const setups = '1g Ra1 Rb1 Rc1 Dd1 De1 Rf1 Rg1 Rh1 Ra2 Hb2 Cc2 Md2 Ee2 Cf2 Hg2 Rh2\n1s ra8 rb8 rc8 cd8 ce8 rf8 rg8 rh8 ra7 hb7 dc7 md7 ee7 df7 hg7 rh7\n';

/** hold holds back the page's first request for the opponent's turn. It returns a function that waits for the request, and returns its route. */
export async function hold(page) {
  let keep;
  const held = new Promise((resolve) => { keep = resolve; });
  let requests = 0;
  await page.route('**/reply', (route) => (requests++ ? route.continue() : keep(route)));
  return () => held;
}
