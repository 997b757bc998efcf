import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const script = fileURLToPath(new URL("./encryption-load.js", import.meta.url));
const providers = ["plain", "aesgcm", "aescbc", "secretbox", "kms v2"] as const;
const writes = 20_000;
const rounds = 5;

async function run(what: string, provider: string, path: string, objects: number): Promise<number> {
  const args = [script, what, provider, path, String(objects)];
  return Number((await promisify(execFile)(process.execPath, args)).stdout);
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * What encryption costs: CPU of a write of 1 KiB to the embedded store, and of loading objects into a watch cache, by provider. Each
 * run is a process of its own; providers take turns.
 */
export async function benchEncryption(objects: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "orch-bench-"));
  try {
    const written = await inTurns((provider, round) =>
      run("write", provider, join(folder, `write-${provider}-${round}`), writes),
    );
    for (const provider of providers) await run("fill", provider, join(folder, `load-${provider}`), objects);
    const loaded = await inTurns((provider) => run("load", provider, join(folder, `load-${provider}`), objects));
    const floors = { write: written.get("plain") ?? 0, load: loaded.get("plain") ?? 0 };
    const lines = providers.map((provider) => {
      const [write, load] = [written.get(provider) ?? 0, loaded.get(provider) ?? 0];
      const more = provider === "plain" ? "" : `+${(write - floors.write).toFixed(1)}`;
      return `| ${provider} | ${write.toFixed(1)} | ${more} | ${load.toFixed(1)} | ${(load / floors.load).toFixed(2)} |`;
    });
    const head = `| provider | CPU µs of a write of 1 KiB | more | CPU µs per object of loading ${objects} | ratio |`;
    return [head, "|---|---|---|---|---|", ...lines].join("\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function inTurns(
  measure: (provider: string, round: number) => Promise<number>,
): Promise<ReadonlyMap<string, number>> {
  const all = new Map<string, number[]>(providers.map((provider) => [provider, []]));
  for (let round = 0; round < rounds; round++) {
    for (const provider of providers) all.get(provider)?.push(await measure(provider, round));
  }
  return new Map([...all].map(([provider, values]) => [provider, median(values)]));
}
