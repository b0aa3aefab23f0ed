// What the page asks the program.

import { Refused } from './refused.js';

/** The part of the page that is shown first. */
export const start = 'learning';

async function ask(path, options) {
  let response, body;
  try {
    response = await fetch('/api/' + path, options);
    body = await response.json();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    if (!response || response.ok) throw new Refused(0, 'connection lost: the program does not answer; is it still running?');
  }
  if (!response.ok) throw new Refused(response.status, body?.error || `the program answered ${response.status}`, body?.state);
  return body;
}

/** get asks for something. */
export const get = (path) => ask(path);

/** post has something done. @param {AbortSignal=} signal */
export const post = (path, body, signal) => ask(path, {
  method: 'POST', signal, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body || {}),
});

/**
 * listen receives the program's events until the returned function is called. While
 * the page is hidden it does not, because a browser has few connections to one host.
 * @param {Record<string, (data: any) => void>} on by the name of the event
 * @param {(trouble: string) => void} heard is called with a text when the events stop, and with '' when they come again
 */
export function listen(on, heard) {
  let source = null;
  let trouble = '';
  const tell = (text) => {
    if (text !== trouble) heard(trouble = text);
  };
  const fit = () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) {
      source = new EventSource('/api/events');
      source.addEventListener('open', () => tell(''));
      // The browser tries again, unless the program has refused.
      source.addEventListener('error', ({ target }) => tell(target.readyState === EventSource.CLOSED
        ? 'Connection lost: the program no longer sends news to this page; reload the page' : 'Connection lost: the program does not answer; is it still running?'));
      for (const [name, f] of Object.entries(on)) {
        source.addEventListener(name, (event) => f(JSON.parse(event.data)));
      }
    }
  };
  document.addEventListener('visibilitychange', fit);
  fit();
  return () => {
    document.removeEventListener('visibilitychange', fit);
    source?.close();
  };
}
