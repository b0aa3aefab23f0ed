// Makes the moving picture of the README and the boards of the rules from the real page:
//
//	(cd internal/page && npm ci --ignore-scripts)
//	go build -o bin/ ./cmd/warren
//	node docs/screens/make.mjs bin/warren
//
// It needs Chromium and img2webp (the package webp). The run is that of docs/runs/quick/metrics.jsonl, and the game is
// against the bundled network.

import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const docs = resolve(import.meta.dirname, '..');
const { chromium } = createRequire(join(docs, '../internal/page/package.json'))('playwright-core');
const warren = resolve(process.argv[2]);
const work = mkdtempSync(join(tmpdir(), 'screens-'));

/** serve starts the program and returns the address of its page. */
function serve(...words) {
  const p = spawn(warren, [...words, '--http', '127.0.0.1:0'], { stdio: ['ignore', 'inherit', 'pipe'] });
  return new Promise((done) => p.stderr.on('data', (text) => {
    const url = /http:\S+/.exec(text);
    if (url) done({ url: url[0], end: () => p.kill() });
  }));
}

const frames = []; // arguments of img2webp
let count = 0;
async function frame(page, milliseconds) {
  const file = join(work, `${String(count++).padStart(3, '0')}.png`);
  await page.screenshot({ path: file });
  frames.push('-d', String(milliseconds), file);
}

/** learning films the page of the run while it grows. */
async function learning(browser) {
  const run = join(work, 'first');
  mkdirSync(join(run, 'networks'), { recursive: true });
  writeFileSync(join(run, 'config.yaml'), '');
  const file = join(run, 'metrics.jsonl');
  writeFileSync(file, '');
  const { url, end } = await serve('page', run);
  const page = await browser.newPage({ viewport: { width: 1280, height: 880 }, deviceScaleFactor: .75, colorScheme: 'light', reducedMotion: 'reduce' });
  const points = readFileSync(join(docs, 'runs/quick/metrics.jsonl'), 'utf8').trimEnd().split('\n');
  const step = (line) => JSON.parse(line).step;
  const last = step(points.at(-1));
  for (let done = 0, until = 5; done < points.length; until += 5) {
    while (done < points.length && step(points[done]) <= until) appendFileSync(file, points[done++] + '\n');
    await page.goto(url);
    await page.reload();
    await page.waitForFunction((n) => document.querySelector('.verdict')?.textContent.startsWith(n + ' generation'), Math.min(until, last));
    await page.waitForTimeout(300);
    await frame(page, until >= last ? 2500 : 450);
  }
  await page.close();
  end();
}

/** choose returns a legal step of Gold: the elephant or a horse forward, or anything that is not a pass. */
function choose({ legal, board }) {
  const worth = (a) => {
    if (a >= 256) return -100;
    const [from, ahead] = [a & 63, a >> 6 === 0];
    const piece = board[from ^ 56];
    return ({ E: 40, H: 20, M: 15 }[piece] ?? 0) * (ahead && from < 40 ? 1 : 0) - (piece === 'R' || piece === 'C' ? 50 : 0) + (from % 8 === 3 || from % 8 === 4 ? 1 : 0);
  };
  return [...legal].sort((x, y) => worth(y) - worth(x))[0];
}

const square = (n) => 'abcdefgh'[n & 7] + ((n >> 3) + 1);

/** playing films a few turns against the bundled network. */
async function playing(page) {
  const rest = () => page.waitForFunction(() => document.querySelector('.board')?.getAttribute('aria-busy') === 'false');
  await page.getByRole('button', { name: 'Start' }).waitFor();
  await frame(page, 900);
  await page.getByRole('button', { name: 'Start' }).click();
  const mine = () => page.waitForFunction(() => document.querySelector('.turn-line')?.textContent.includes('Your turn'), null, { timeout: 60000 });
  for (let turn = 0; turn < 3; turn++) {
    await mine();
    await frame(page, 700);
    for (let step = 0; step < 4; step++) { // the fourth ends the turn
      await rest();
      const state = await page.evaluate(async () => (await fetch('/api/play/' + JSON.parse(sessionStorage['warren.game']).id)).json());
      const a = choose(state);
      await page.click(`[data-square=${square(a & 63)}]`);
      await page.click(`[data-square=${square((a & 63) + [8, 1, -8, -1][a >> 6])}]`);
      await rest();
      await frame(page, 450);
    }
  }
  await mine();
  await frame(page, 3000);
}

/** boards saves the pictures of the rules. */
async function boards(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 }, colorScheme: 'light' });
  await page.goto(url.replace(/#.*/, '') + '#/rules');
  const figures = page.locator('.rule figure');
  await figures.first().waitFor();
  for (const [i, name] of ['aim', 'setup', 'turn', 'traps', 'push', 'pull', 'frozen'].entries()) {
    await figures.nth(i).screenshot({ path: join(docs, `reference/rules-${name}.png`) });
  }
  await page.close();
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const { url, end } = await serve('play', '--web');
const page = await browser.newPage({ viewport: { width: 1280, height: 880 }, deviceScaleFactor: .75, colorScheme: 'light', reducedMotion: 'reduce' });
page.setDefaultTimeout(60000);
try {
  const what = process.argv[3] || 'all';
  if (what !== 'movie') await boards(browser, url);
  if (what !== 'boards') {
    await learning(browser);
    await page.setViewportSize({ width: 1280, height: 880 });
    await page.goto(url);
    await page.reload();
    await playing(page);
    execFileSync('img2webp', ['-loop', '0', '-lossy', '-q', '60', '-m', '6', ...frames, '-o', join(docs, 'screens/warren.webp')]);
  }
} finally {
  await browser.close();
  end();
  if (!process.env.KEEP) rmSync(work, { recursive: true });
}
