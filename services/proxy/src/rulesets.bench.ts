// How long rules take without a kernel: node services/proxy/dist/rulesets.bench.js [SERVICES ENDPOINTS]
import { createIptablesRuleset } from "./iptables/ruleset.js";
import { createCluster } from "./model/cluster.js";
import { createNftRuleset } from "./nftables/ruleset.js";
import { golden } from "./testing/golden.js";
import { endpoint, service, slice } from "./testing/objects.js";

const [services = 10_000, endpoints = 10] = process.argv.slice(2).map(Number);

const address = (n: number, e: number): string => `10.${n >> 8}.${n & 255}.${e + 1}`;
const sliceOf = (n: number, first: number) =>
  slice(Array.from({ length: endpoints }, (_, e) => endpoint(address(n, first + e))));

const shared = { ...golden.options, family: "IPv4" } as const;
const rulesets = {
  nftables: () => createNftRuleset(shared),
  iptables: () => createIptablesRuleset({ ...shared, localhostNodePorts: true, isLiberal: false, isFullyRandom: true }),
};

/** Milliseconds of CPU and of the clock. */
function measured<T>(run: () => T): { readonly value: T; readonly told: string } {
  const [cpu, clock] = [process.cpuUsage(), performance.now()];
  const value = run();
  const { user, system } = process.cpuUsage(cpu);
  return {
    value,
    told: `${((user + system) / 1000).toFixed(1)} ms of CPU, ${(performance.now() - clock).toFixed(1)} ms`,
  };
}

for (const [mode, create] of Object.entries(rulesets)) {
  const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
  const ruleset = create();
  ruleset.surround(golden.surroundings());
  for (let n = 0; n < services; n++) {
    const clusterIP = `172.30.${n >> 8}.${n & 255}`;
    cluster.service(`ns/s${n}`, service(`ns/s${n}`, { clusterIP }));
    cluster.slice(`ns/s${n}`, `ns/s${n}`, sliceOf(n, 0));
  }
  const write = () =>
    measured(() => {
      for (const { service: key, ports } of cluster.take()) ruleset.put(key, ports.IPv4);
      return ruleset.write(0);
    });
  const tell = (what: string, { value, told }: ReturnType<typeof write>): void => {
    process.stdout.write(`${mode}: ${what}: ${told}, ${value.text.split("\n").length - 1} lines\n`);
  };
  tell(`all rules of ${services} services with ${endpoints} endpoints`, write());
  for (let round = 0; round < 20; round++) {
    cluster.slice(`ns/s${round}`, `ns/s${round}`, sliceOf(round, 1));
    write();
  }
  cluster.slice("ns/s99", "ns/s99", sliceOf(99, 1));
  tell("an endpoint changes", write());
  for (let round = 0; round < 5; round++) {
    cluster.service(`ns/t${round}`, service(`ns/t${round}`, { clusterIP: `172.29.0.${round + 1}` }));
    write();
  }
  cluster.service("ns/new", service("ns/new", { clusterIP: "172.31.0.1" }));
  tell("a service comes", write());
}
