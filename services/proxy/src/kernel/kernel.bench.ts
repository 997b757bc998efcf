// How long nft and iptables-restore take, within a network namespace of its own:
// unshare -n node services/proxy/dist/kernel/kernel.bench.js [SERVICES ENDPOINTS [nftables|iptables]]
import { networkInterfaces } from "node:os";
import { systemClock } from "@orch/status/clock.js";
import { jumps } from "../iptables/base.js";
import { chainNames } from "../iptables/words.js";
import type { Writing } from "../ruleset.js";
import { golden } from "../testing/golden.js";
import { manyServices, rulesets } from "../testing/many-services.js";
import type { Backend } from "./backend.js";
import { createIptablesBackend } from "./iptables.js";
import { createNftBackend } from "./nft.js";
import { createPrograms } from "./programs.js";

if (Object.keys(networkInterfaces()).length > 0) {
  process.stderr.write("this writes rules: it runs in a network namespace of its own alone, by unshare -n\n");
  process.exit(2);
}
const [services = 2_000, endpoints = 10] = process.argv.slice(2, 4).map(Number);
const only = process.argv[4];
const run = createPrograms({ clock: systemClock, environment: process.env });
const names = chainNames("KUBE-");
const family = "IPv4";
const table = golden.options.systemName("proxy");
const backends: Readonly<Record<keyof typeof rulesets, Backend>> = {
  nftables: createNftBackend({ family, table, run, kernel: "6.1", anyKernel: true }),
  iptables: createIptablesBackend({ family, names, jumps: jumps({ names, product: "kubernetes" }), run }),
};

for (const mode of ["nftables", "iptables"] as const) {
  if (only !== undefined && only !== mode) continue;
  const backend = backends[mode];
  const many = manyServices(rulesets[mode](), services, endpoints);
  const load = async (what: string, writing: Writing): Promise<void> => {
    const began = performance.now();
    await backend.load(writing);
    const seconds = ((performance.now() - began) / 1000).toFixed(2);
    process.stdout.write(`${mode}: ${what}: ${seconds} s\n`);
  };
  await load(`all rules of ${services} services with ${endpoints} endpoints`, many.write());
  for (const first of [1, 2, 3]) {
    many.spread(9, first);
    await load("an endpoint changes", many.write());
  }
  const began = performance.now();
  await backend.cleanUp();
  process.stdout.write(`${mode}: all of them removed: ${((performance.now() - began) / 1000).toFixed(2)} s\n`);
}
