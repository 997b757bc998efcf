/**
 * Protobuf against JSON on the same Pod: `node libs/codec/dist/protobuf/protobuf.bench.js`. Prints µs for each, the best of
 * some rounds, and the ratios within this run.
 */
import { decode } from "@orch/schema/decode.js";
import { objectOf } from "../json.js";
import { pod, podType } from "../testing/pod.js";
import { decodeMessage } from "./decode.js";
import { encodeMessage } from "./encode.js";
import { encodeJson } from "./from-json.js";

const rounds = 9;
const calls = 4000;

function micros(work: () => unknown): number {
  for (let i = 0; i < calls; i++) work();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) work();
    best = Math.min(best, ((performance.now() - start) / calls) * 1000);
  }
  return best;
}

const json = JSON.stringify(pod);
const jsonBytes = Buffer.from(json);
const bytes = encodeMessage(podType, pod);

const measured = {
  stringify: micros(() => JSON.stringify(pod)),
  encodeMessage: micros(() => encodeMessage(podType, pod)),
  "read and encode": micros(() => encodeMessage(podType, objectOf(jsonBytes))),
  encodeJson: micros(() => encodeJson(podType, jsonBytes)),
  parse: micros(() => JSON.parse(json)),
  "parse and decode": micros(() => decode(podType, JSON.parse(jsonBytes.toString()))),
  decodeMessage: micros(() => decodeMessage(podType, bytes)),
};

process.stdout.write(`${jsonBytes.length} bytes of JSON, ${bytes.length} of Protobuf\n`);
for (const [name, time] of Object.entries(measured)) {
  process.stdout.write(`${name.padStart(18)} ${time.toFixed(1).padStart(6)} µs\n`);
}
const ratio = (a: number, b: number): string => (a / b).toFixed(2);
process.stdout.write(
  `encodeMessage / stringify ${ratio(measured.encodeMessage, measured.stringify)}, ` +
    `encodeJson / read and encode ${ratio(measured.encodeJson, measured["read and encode"])}, ` +
    `decodeMessage / parse ${ratio(measured.decodeMessage, measured.parse)}, ` +
    `decodeMessage / parse and decode ${ratio(measured.decodeMessage, measured["parse and decode"])}\n`,
);
