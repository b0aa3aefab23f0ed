// Plays one turn of Arimaa with an exported network. It uses only the policy: at each
// step it chooses the most probable legal action.
//
//   node play.js NETWORK.onnx "g [rrrddrrrrhcemchr                                RHCMECHRRRRDDRRR]"
//   node play.js --json NETWORK.onnx < positions.txt
//
// With --json it reads one position per line and answers each with a line of JSON. The
// line contains the turn and, for each decision, the planes and the policy (base64 of
// little-endian float32), the value and the action.

import { createInterface } from "node:readline";
import ort from "onnxruntime-node";
import { action, encode, PASS, PLANES } from "./encode.js";
import { after, format, legalSteps, mayEnd, parsePosition, STEPS_PER_TURN } from "./rules.js";

// Returns the turn in notation and the decisions that led to it.
async function play(network, position) {
  let state = parsePosition(position);
  const words = [], decisions = [];
  while (state.left > 0) {
    const steps = legalSteps(state);
    const options = new Map(steps.map((step) => [action(step, state.side), step]));
    if (mayEnd(state)) options.set(PASS, null);
    if (options.size === 0) throw new Error("the side to move has no legal step");

    const planes = encode(state);
    const out = await network.run({ planes: new ort.Tensor("float32", planes, [1, 8, 8, PLANES]) });
    const policy = Float32Array.from(out.policy.data), value = out.value.data[0];
    const best = [...options.keys()].reduce((a, b) => policy[b] > policy[a] ? b : a);
    const total = [...options.keys()].reduce((sum, a) => sum + Math.exp(policy[a] - policy[best]), 0);
    decisions.push({ planes, policy, value, action: best, prior: 1 / total });
    if (best === PASS) break;
    words.push(format(state, options.get(best)));
    state = after(state, options.get(best));
  }
  return { turn: words.join(" "), decisions };
}

const base64 = (numbers) => Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64");

async function main(args) {
  const json = args[0] === "--json";
  const [path, position] = json ? args.slice(1) : args;
  if (!path || json !== (position === undefined)) {
    throw new Error('usage: node play.js NETWORK.onnx "g [64 characters]", or node play.js --json NETWORK.onnx < POSITIONS');
  }
  const network = await ort.InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  if (!json) {
    const { turn, decisions } = await play(network, position);
    console.log(turn);
    for (const [i, { value, prior }] of decisions.entries()) {
      console.log(`  action ${i + 1} of at most ${STEPS_PER_TURN}: the mover wins with ${(100 * value).toFixed(1)}%, the policy plays this with ${(100 * prior).toFixed(1)}%`);
    }
    return;
  }
  for await (const line of createInterface({ input: process.stdin })) {
    const { turn, decisions } = await play(network, line);
    const plain = decisions.map((d) => ({ ...d, planes: base64(d.planes), policy: base64(d.policy) }));
    console.log(JSON.stringify({ turn, decisions: plain }));
  }
}

main(process.argv.slice(2)).catch((err) => {
  console.error(`play.js: ${String(err.message ?? err).split("\n")[0]}`);
  process.exitCode = 1;
});
