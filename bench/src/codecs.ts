import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadCatalog } from "@orch/api/catalog.js";
import { asVersion, decodeObject, setDefaults } from "@orch/api/writes.js";
import { decodeMessage } from "@orch/codec/protobuf/decode.js";
import { encodeMessage } from "@orch/codec/protobuf/encode.js";
import { createNaming } from "@orch/naming/naming.js";
import { podOf } from "./pod.js";

const rounds = 20;
const calls = 1500;

interface Compared {
  readonly micros: number;
  readonly floor: number;
}

/** Microseconds of one call of each, in its best round; the rounds alternate, so that both meet the same machine. */
function compare(work: () => unknown, floor: () => unknown): Compared {
  const best = { micros: Number.POSITIVE_INFINITY, floor: Number.POSITIVE_INFINITY };
  for (let round = 0; round <= rounds; round++) {
    const now = { micros: microsOf(work), floor: microsOf(floor) };
    // The first round warms up.
    if (round === 0) continue;
    best.micros = Math.min(best.micros, now.micros);
    best.floor = Math.min(best.floor, now.floor);
  }
  return best;
}

function microsOf(work: () => unknown): number {
  const began = performance.now();
  for (let i = 0; i < calls; i++) work();
  return ((performance.now() - began) / calls) * 1000;
}

/** Protobuf of a stored Pod against JSON of the same, as lines to print. */
export function benchCodecs(): readonly string[] {
  const kind = loadCatalog(createNaming("orch")).kind("v1", "Pod");
  if (kind === undefined) throw new TypeError("the catalog has no Pod");
  const pod = asVersion(kind, setDefaults(kind, decodeObject(kind, podOf("a")).object));
  const text = JSON.stringify(pod);
  const bytes = encodeMessage(kind.type, pod);
  const encode = compare(
    () => encodeMessage(kind.type, pod),
    () => JSON.stringify(pod),
  );
  const decode = compare(
    () => decodeMessage(kind.type, bytes),
    () => JSON.parse(text),
  );
  const line = (what: string, { micros, floor }: Compared, against: string): string =>
    `${what}: ${micros.toFixed(1)} µs, ${(micros / floor).toFixed(2)} × ${against} (${floor.toFixed(1)} µs)`;
  return [
    `a Pod of ${text.length} bytes of JSON, ${bytes.length} of Protobuf`,
    line("Protobuf encode", encode, "JSON.stringify"),
    line("Protobuf decode", decode, "JSON.parse"),
  ];
}

/** Time and memory of a catalog in a process of its own. */
export async function benchCatalog(): Promise<string> {
  const script = fileURLToPath(new URL("./catalog-load.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script]);
  return stdout.trim();
}
