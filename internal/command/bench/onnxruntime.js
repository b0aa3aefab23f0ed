// Runs ONNX Runtime behind the line protocol of peer.go: each request is a line of JSON
// on standard input, and each answer is a line of JSON on standard output.
//
// Usage: node onnxruntime.js DIR, where DIR contains network.onnx and
// positions.safetensors.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import ort from "onnxruntime-node";

const dir = process.argv[2];
const answer = (value) => process.stdout.write(JSON.stringify(value) + "\n");

// Returns the tensor x, [positions][8][8][planes], of the safetensors file.
function readPositions(path) {
  const file = readFileSync(path);
  const length = Number(file.readBigUInt64LE(0));
  const { shape, data_offsets: [begin, end] } = JSON.parse(file.toString("utf8", 8, 8 + length)).x;
  const bytes = file.subarray(8 + length + begin, 8 + length + end);
  return { shape, data: new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)) };
}

const positions = readPositions(join(dir, "positions.safetensors"));
const count = positions.shape[0];
const each = positions.data.length / count;

// Returns the positions in batches. The last batch may be smaller.
function batches(size) {
  const feeds = [];
  for (let first = 0; first < count; first += size) {
    const n = Math.min(size, count - first);
    const data = positions.data.subarray(first * each, (first + n) * each);
    feeds.push({ planes: new ort.Tensor("float32", data, [n, ...positions.shape.slice(1)]) });
  }
  return feeds;
}

const sessions = new Map();
async function session(threads) {
  if (!sessions.has(threads)) {
    sessions.set(threads, await ort.InferenceSession.create(join(dir, "network.onnx"), {
      executionProviders: ["cpu"],
      graphOptimizationLevel: "all",
      executionMode: "sequential",
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
    }));
  }
  return sessions.get(threads);
}

const operations = {
  // Runs whole batches, one after another, for the given number of seconds.
  async infer({ batch, threads, seconds }) {
    const network = await session(threads);
    const feeds = batches(batch);
    for (let i = 0; i < 3; i++) await network.run(feeds[i % feeds.length]);
    const start = performance.now();
    let runs = 0, elapsed = 0;
    while (elapsed < seconds) {
      await network.run(feeds[runs++ % feeds.length]);
      elapsed = (performance.now() - start) / 1000;
    }
    return { rate: runs * batch / elapsed };
  },

  // Writes the policies of all positions and then their values to a file.
  async outputs({ batch, threads, path }) {
    const network = await session(threads);
    const policy = [], value = [];
    for (const feed of batches(batch)) {
      const out = await network.run(feed);
      policy.push(Buffer.from(Float32Array.from(out.policy.data).buffer));
      value.push(Buffer.from(Float32Array.from(out.value.data).buffer));
    }
    writeFileSync(path, Buffer.concat([...policy, ...value]));
    return {};
  },
};

const { version } = createRequire(import.meta.url)("onnxruntime-node/package.json");
answer({ name: `ONNX Runtime ${version}` });
for await (const line of createInterface({ input: process.stdin })) {
  try {
    const request = JSON.parse(line);
    if (!(request.op in operations)) throw new Error(`does not ${request.op}`);
    answer(await operations[request.op](request));
  } catch (err) {
    answer({ error: String(err.message ?? err).split("\n")[0] });
  }
}
