// What the page asks the program.

import { Refused } from './refused.js';

/** The part of the page that is shown first. */
export const start = 'learning';

export { Refused };

async function answer(response) {
  let body = null;
  try {
    body = await response.json();
  } catch { /* an answer that is not JSON is an error below */ }
  if (!response.ok || body === null) {
    throw new Refused(response.status, (body && body.error) || `the program answered ${response.status}`, body && body.state);
  }
  return body;
}

async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refused(0, 'connection lost: the program does not answer; is it still running?');
  }
}

/** get asks for something. @param {AbortSignal=} signal */
export async function get(path, signal) {
  return answer(await reach('/api/' + path, { signal }));
}

/** post has something done. @param {AbortSignal=} signal */
export async function post(path, body, signal) {
  return answer(await reach('/api/' + path, {
    method: 'POST', signal, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body || {}),
  }));
}

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
