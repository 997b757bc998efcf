// How long rules take without a kernel: node services/proxy/dist/rulesets.bench.js [SERVICES ENDPOINTS]
import type { Writing } from "./ruleset.js";
import { manyServices, rulesets } from "./testing/many-services.js";

const [services = 10_000, endpoints = 10] = process.argv.slice(2).map(Number);

for (const [mode, create] of Object.entries(rulesets)) {
  const many = manyServices(create(), services, endpoints);
  const tell = (what: string): void => {
    const [cpu, clock] = [process.cpuUsage(), performance.now()];
    const { text }: Writing = many.write();
    const { user, system } = process.cpuUsage(cpu);
    const told = `${((user + system) / 1000).toFixed(1)} ms of CPU, ${(performance.now() - clock).toFixed(1)} ms`;
    process.stdout.write(`${mode}: ${what}: ${told}, ${text.split("\n").length - 1} lines\n`);
  };
  tell(`all rules of ${services} services with ${endpoints} endpoints`);
  for (let round = 0; round < 20; round++) {
    many.spread(round, 1);
    many.write();
  }
  many.spread(99, 1);
  tell("an endpoint changes");
  for (let round = 0; round < 5; round++) {
    many.add(`ns/t${round}`, `172.29.0.${round + 1}`);
    many.write();
  }
  many.add("ns/new", "172.31.0.1");
  tell("a service comes");
}
