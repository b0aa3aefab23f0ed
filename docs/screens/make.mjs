// Makes the moving picture of the README, the boards of the rules and the pictures of docs/reference/page.md from the
// real page; each also alone, with the word movie, boards or pictures:
//
//	(cd internal/page && npm ci --ignore-scripts)
//	go build -o bin/ ./cmd/warren
//	node docs/screens/make.mjs bin/warren
//
// It needs Chromium, img2webp and cwebp (the package webp). The run is that of docs/runs/quick, and the games to play
// are against the bundled network. Those of a run are not kept, so docs/runs/quick's last network plays some.

import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const docs = resolve(import.meta.dirname, '..');
const { chromium } = createRequire(join(docs, '../internal/page/package.json'))('playwright-core');
const warren = resolve(process.argv[2]);
const work = mkdtempSync(join(tmpdir(), 'screens-'));

const programs = [];

/** serve starts the program and returns the address of its page. */
function serve(...words) {
  const p = spawn(warren, [...words, '--http', '127.0.0.1:0'], { stdio: ['ignore', 'inherit', 'pipe'] });
  programs.push(p);
  return new Promise((done) => p.stderr.on('data', (text) => {
    const url = /http:\S+/.exec(text);
    if (url) done(url[0]);
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
  const url = await serve('page', run);
  const page = await browser.newPage({ viewport: { width: 1280, height: 880 }, deviceScaleFactor: .75, colorScheme: 'light', reducedMotion: 'reduce' });
  const points = readFileSync(join(docs, 'runs/quick/metrics.jsonl'), 'utf8').trimEnd().split('\n');
  const step = (line) => JSON.parse(line).step;
  const last = step(points.at(-1));
  for (let done = 0, until = 5; done < points.length; until += 5) {
    while (done < points.length && step(points[done]) <= until) appendFileSync(file, points[done++] + '\n');
    await page.goto(url);
    await page.reload();
    await page.waitForFunction((n) => document.querySelector('.verdict')?.textContent.startsWith(`Generation ${n},`), Math.min(until, last));
    await page.waitForTimeout(300);
    await frame(page, until >= last ? 2500 : 450);
  }
  await page.close();
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

/** playing plays a few turns against the bundled network, and films them with frame. */
async function playing(page, frame) {
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

/** pictures saves those of the page's description: a run, a game of self-play, an analysis and a game in progress. */
async function pictures(browser, url) {
  const board = url.replace(/#.*/, '');
  const open = async (address, { kept = {}, ...options } = {}) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 1000 }, colorScheme: 'light', reducedMotion: 'reduce', ...options });
    await page.addInitScript((kept) => { for (const key in kept) localStorage['warren.' + key] = kept[key]; }, kept);
    await page.goto(address);
    return page;
  };
  const save = async (page, name) => {
    await page.waitForTimeout(500); // for what is fetched last
    const file = join(work, name + '.png');
    await page.screenshot({ path: file });
    execFileSync('cwebp', ['-quiet', '-q', '70', '-m', '6', '-sharp_yuv', file, '-o', join(docs, `screens/${name}.webp`)]);
    await page.close();
  };

  const quick = join(docs, 'runs/quick');
  const [run, games] = [join(work, 'learned/first'), join(work, 'played/first')];
  cpSync(quick, run, { recursive: true });
  const curves = await open(await serve('page', run), { viewport: { width: 1440, height: 1240 } });
  await curves.locator('.verdict').waitFor();
  await save(curves, 'learning');

  execFileSync(warren, ['train', '--config', 'quick', '--from', quick, '--run', games, ...['loop.mode=sync', 'loop.duration=0s', 'loop.generations=1',
    'loop.bootstrap_games=16', 'loop.games_per_generation=8', 'selfplay.visits.games=0', 'selfplay.random_openings=0', 'match.every=0'].flatMap((s) => ['--set', s])], { stdio: 'ignore' });
  const game = await open((await serve('page', games)).replace(/#.*/, '') + '#/game/0/0/105');
  await game.locator('.board').waitFor();
  await save(game, 'game');

  const champion = readFileSync(join(docs, 'climb/stage-11-champion-2.tsv'), 'utf8').split('\n')[1].split('\t').at(-1).replaceAll('\\n', '\n');
  const analysis = await open(board + '#/analysis/now', { kept: { pasted: champion } });
  await analysis.getByText('a turn:').first().waitFor();
  await analysis.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'hidden', timeout: 300000 });
  await analysis.locator('.mistakes button').first().click();
  await analysis.evaluate(() => scrollTo(0, 0));
  await save(analysis, 'analysis');

  const play = await open(url, { colorScheme: 'dark', kept: { evaluation: 'on' } });
  await playing(play, () => {});
  await save(play, 'play');
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const url = await serve('play', '--web');
const page = await browser.newPage({ viewport: { width: 1280, height: 880 }, deviceScaleFactor: .75, colorScheme: 'light', reducedMotion: 'reduce' });
page.setDefaultTimeout(60000);
try {
  const what = process.argv[3] || 'all';
  if (what === 'all' || what === 'boards') await boards(browser, url);
  if (what === 'all' || what === 'pictures') await pictures(browser, url);
  if (what === 'all' || what === 'movie') {
    await learning(browser);
    await page.goto(url);
    await playing(page, frame);
    execFileSync('img2webp', ['-loop', '0', '-lossy', '-q', '60', '-m', '6', ...frames, '-o', join(docs, 'screens/warren.webp')]);
  }
} finally {
  await browser.close();
  programs.forEach((p) => p.kill());
  if (!process.env.KEEP) rmSync(work, { recursive: true });
}
