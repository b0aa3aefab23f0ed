// Makes the pictures of docs/reference/page.md from a run: in internal/page,
//
//	WARREN_PROGRAM=warren WARREN_CHROMIUM=chromium node fronttest/screens.js RUN [FOLDER]
//
// The curves and the replay are those of the run, the game is against the bundled network.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [run, folder = '../../docs/screens'] = process.argv.slice(2);
const temporary = mkdtempSync(join(tmpdir(), 'warren-'));
const programs = [];
const browser = await chromium.launchPersistentContext(temporary, { executablePath: process.env.WARREN_CHROMIUM, headless: true, args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });

/** serve starts the page and returns its address. */
function serve(...args) {
  const p = spawn(process.env.WARREN_PROGRAM, ['page', '--http', '127.0.0.1:0', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  programs.push(p);
  return new Promise((resolve, reject) => {
    p.on('exit', () => reject(new Error(`warren page ${args.join(' ')} has ended`)));
    p.stderr.on('data', (d) => {
      const m = String(d).match(/page is at (http:[^#\s]+)/);
      if (m) resolve(m[1]);
    });
  });
}

async function open(address, width, height, dark) {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: dark ? 'dark' : 'light' });
  await page.goto(address);
  return page;
}

async function shoot(page, name) {
  await page.mouse.move(2, 2);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** curves shows the top of the page of the run, and its losses. */
async function curves(address) {
  const page = await open(`${address}#/learning`, 1440, 1000, false);
  await page.locator('.plot').nth(3).waitFor();
  await shoot(page, 'learning');
  await page.locator('.plot', { hasText: 'Policy loss' }).evaluate((e) => scrollTo(0, e.getBoundingClientRect().top + scrollY - 75));
  await shoot(page, 'curves');
  await page.close();
}

/** replay shows a game of the newest generation that somebody won, in its middle. */
async function replay(address) {
  const { games } = await (await fetch(`${address}api/runs/0/games?reason=goal`)).json();
  const number = games.find((g) => g.turns > 40 && g.turns < 70)?.game ?? games[0].game;
  const { frames } = await (await fetch(`${address}api/runs/0/games/${number}`)).json();
  const step = frames.findIndex((f, i) => i > 160 && f.full && f.left === 4 && f.visits?.length > 3);
  const page = await open(`${address}#/game/0/${number}/${Math.max(step, 40)}`, 1440, 1000, false);
  await page.locator('.bars').first().waitFor();
  await shoot(page, 'game');
  await page.close();
}

const over = (page) => page.evaluate(() => document.querySelector('.banner') !== null);

/** play plays a game against a level, with what the network itself advises, for some turns. */
async function play(page, level, most) {
  await page.locator('select[name=level]').selectOption(level);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  for (let n = 0; n < most; n++) {
    await page.waitForFunction(() => /Your turn|over/.test(document.querySelector('.turn-line')?.textContent || ''));
    if (await over(page)) return;
    await page.evaluate(async () => {
      const ask = async (what, body = {}) => (await fetch(`/api/play/${JSON.parse(sessionStorage['warren.game']).id}/${what}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json();
      await ask('play', { actions: (await ask('hint')).turn });
    });
    await page.reload(); // the board stands as the program has it, and the opponent plays
  }
  await page.waitForFunction(() => /Your turn|over/.test(document.querySelector('.turn-line')?.textContent || ''));
}

/** table shows a game in progress, large and on a phone. */
async function table(address) {
  const page = await open(`${address}#/play`, 1440, 900, true);
  await play(page, '9', 7);
  await page.getByRole('button', { name: 'Evaluation' }).click();
  await page.waitForFunction(() => document.querySelector('.evalbar .number').textContent !== '');
  await shoot(page, 'play');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('.cell.can').nth(12).click();
  await page.evaluate(() => scrollTo(0, 0));
  await shoot(page, 'phone');
  page.once('dialog', (d) => d.accept());
  await page.getByRole('button', { name: 'New game' }).click();
  await page.close();
}

/** analysis shows the mistakes of a game against a low level. */
async function analysis(address) {
  const page = await open(`${address}#/play`, 1440, 900, false);
  await play(page, '2', 60);
  await page.getByRole('button', { name: 'Analyse the game' }).click();
  await page.getByText(/visits for each step\./).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'hidden' });
  await page.locator('.mistakes button').first().click();
  await page.locator('.bars').first().waitFor();
  await shoot(page, 'analysis');
  await page.close();
}

try {
  const [ofRun, alone] = [await serve(run), await serve()];
  await curves(ofRun);
  await replay(ofRun);
  await table(alone);
  await analysis(alone);
} finally {
  await browser.close();
  for (const p of programs) p.removeAllListeners('exit').kill('SIGKILL');
  rmSync(temporary, { recursive: true, force: true });
}
