// What the page asks the program, which runs in a worker of this page: nothing goes to a server.

import { Refused } from './refused.js';

/** The part of the page that is shown first. There are no runs here. */
export const start = 'play/now';

const program = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
const waiting = new Map(); // the functions that settle each request, by its number
let last = 0;
let broken = ''; // why the program does not run

program.onmessage = ({ data: { id, status, body, problem } }) => {
  if (problem) {
    fail(problem);
    return;
  }
  const settle = waiting.get(id);
  waiting.delete(id);
  settle?.(status, body);
};
program.onerror = (event) => fail(event.message || 'the program has ended');

function fail(problem) {
  broken = `${problem}; reload the page`;
  for (const settle of waiting.values()) settle(0, JSON.stringify({ error: broken }));
  waiting.clear();
}

function ask(method, path, body, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const id = ++last;
    waiting.set(id, (status, text) => {
      const answer = JSON.parse(text || 'null');
      if (status === 200 && answer !== null) resolve(answer);
      else reject(new Refused(status, answer?.error || `the program answered ${status}`, answer?.state));
    });
    signal?.addEventListener('abort', () => {
      if (waiting.delete(id)) program.postMessage({ cancel: id });
      reject(signal.reason);
    });
    if (broken) fail(broken.replace(/; reload the page$/, ''));
    else program.postMessage({ id, method, path, body });
  });
}

/** get asks for something. */
export const get = (path) => ask('GET', path, '');

/** post has something done. @param {AbortSignal=} signal */
export const post = (path, body, signal) => ask('POST', path, JSON.stringify(body || {}), signal);

/** listen has nothing to tell: no training runs here. */
export const listen = () => () => {};

document.querySelector('footer').append(
  'This is Warren in your browser: the rules, the network and the search run on this page, and nothing is sent anywhere. ',
  'The installed program thinks some fifty times as fast, and trains networks of your own.');
