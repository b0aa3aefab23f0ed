// Reads the header of a .safetensors file with Hugging Face's library, and writes the
// same tensors to a new file as another program might: sorted by name, with the
// architecture as the only metadata.
//
//   node reread.js NETWORK.safetensors COPY.safetensors

import { readFileSync, writeFileSync } from "node:fs";
import { parseSafetensorsMetadata } from "@huggingface/hub";

const [from, to] = process.argv.slice(2);
const file = readFileSync(from);

// The library requests ranges of the file from a server. This function answers the
// requests from the local file.
async function fetch(_, { headers } = {}) {
  const [, first, last] = /bytes=(\d+)-(\d+)/.exec(new Headers(headers).get("range"));
  const body = file.subarray(Number(first), Number(last) + 1);
  return new Response(body, {
    status: 206,
    headers: { etag: '"file"', "content-length": body.length, "content-range": `bytes ${first}-${last}/${file.length}` },
  });
}

const { header } = await parseSafetensorsMetadata({ repo: "local/file", path: "model.safetensors", fetch });
const start = 8 + Number(file.readBigUInt64LE(0));
const { architecture } = header.__metadata__;
const entries = { __metadata__: { architecture } }, parts = [];
let end = 0;
for (const name of Object.keys(header).filter((name) => name !== "__metadata__").sort()) {
  const { dtype, shape, data_offsets: [first, last] } = header[name];
  entries[name] = { dtype, shape, data_offsets: [end, end += last - first] };
  parts.push(file.subarray(start + first, start + last));
}
const json = Buffer.from(JSON.stringify(entries));
const length = Buffer.alloc(8);
length.writeBigUInt64LE(BigInt(json.length));
writeFileSync(to, Buffer.concat([length, json, ...parts]));
