// The program, in a worker: it takes requests {id, method, path, body} and {cancel: id}, and gives answers {id, status, body}.

import './wasm_exec.js';

const waiting = []; // requests from before the program is ready
let started = false;

self.answered = (id, status, body) => postMessage({ id, status, body });
self.ready = (problem) => {
  if (problem) {
    postMessage({ problem });
    return;
  }
  started = true;
  waiting.splice(0).forEach(take);
};

function take({ id, method, path, body, cancel }) {
  if (cancel) self.cancel(cancel);
  else self.request(id, method, path, body);
}

self.onmessage = ({ data }) => {
  if (started) take(data);
  else waiting.push(data);
};

try {
  const go = new self.Go();
  const response = await fetch(new URL('warren.wasm.gz', import.meta.url));
  if (!response.ok) throw new Error(`the server answers ${response.status} for warren.wasm.gz`);
  let program = new Uint8Array(await response.arrayBuffer());
  if (program[0] === 0x1f) { // some servers have it unpacked on the way
    program = await new Response(new Blob([program]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  }
  const { instance } = await WebAssembly.instantiate(program, go.importObject);
  go.run(instance).then(() => postMessage({ problem: 'the program has ended' }));
} catch (error) {
  postMessage({ problem: error.message });
}
