import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadCatalog } from "@orch/api/catalog.js";
import { asVersion, decodeObject, setDefaults } from "@orch/api/writes.js";
import { decodeMessage } from "@orch/codec/protobuf-decode.js";
import { encodeMessage } from "@orch/codec/protobuf-encode.js";
import { createNaming } from "@orch/naming/naming.js";
import { podOf } from "./pod.js";

const rounds = 9;
const calls = 3000;

/** Microseconds of one call, in the best of some rounds. */
function micros(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    for (let i = 0; i < calls; i++) work();
    // The first round warms up.
    if (round > 0) best = Math.min(best, ((performance.now() - began) / calls) * 1000);
  }
  return best;
}

/** Protobuf of a stored Pod against JSON of the same, as lines to print. */
export function benchCodecs(): readonly string[] {
  const kind = loadCatalog(createNaming("orch")).kind("v1", "Pod");
  if (kind === undefined) throw new TypeError("the catalog has no Pod");
  const pod = asVersion(kind, setDefaults(kind, decodeObject(kind, podOf("a")).object));
  const text = JSON.stringify(pod);
  const bytes = encodeMessage(kind.type, pod);
  const stringify = micros(() => JSON.stringify(pod));
  const parse = micros(() => JSON.parse(text));
  const encode = micros(() => encodeMessage(kind.type, pod));
  const decode = micros(() => decodeMessage(kind.type, bytes));
  const line = (what: string, time: number, floor: number, against: string): string =>
    `${what}: ${time.toFixed(1)} µs, ${(time / floor).toFixed(2)} × ${against} (${floor.toFixed(1)} µs)`;
  return [
    `a Pod of ${text.length} bytes of JSON, ${bytes.length} of Protobuf`,
    line("Protobuf encode", encode, stringify, "JSON.stringify"),
    line("Protobuf decode", decode, parse, "JSON.parse"),
  ];
}

/** Time and memory of a catalog in a process of its own. */
export async function benchCatalog(): Promise<string> {
  const script = fileURLToPath(new URL("./catalog-load.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script]);
  return stdout.trim();
}
