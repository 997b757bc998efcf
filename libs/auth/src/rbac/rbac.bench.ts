/**
 * What a decision costs with 1,000 roles and 10,000 bindings: `node libs/auth/dist/rbac/rbac.bench.js`. The best of
 * many rounds, in µs, and the memory of the index.
 */

import type { Attributes } from "../authorizer.js";
import { user } from "../testing/attributes.js";
import { asks, binding, type Entry, loadedRbac, role } from "./testing/policy.js";

const roles = 1000;
const bindings = 10_000;
const namespaces = 200;

const resources = ["pods", "services", "configmaps", "secrets", "apps:deployments", "batch:jobs", "nodes", "events"];
const things = (i: number): readonly string[] => [
  `get,list,watch ${resources[i % resources.length]},things-${i}`,
  `create,update,patch,delete things-${i},pods/log`,
  `get secrets secret-${i}`,
  `get /path-${i},/more-${i}/*`,
];

const entries: Entry[] = [];
for (let i = 0; i < roles; i++) {
  entries.push(i % 2 === 0 ? role(`r${i}`, ...things(i)) : role(`ns${i % namespaces}/r${i}`, ...things(i).slice(0, 3)));
}
for (let i = 0; i < bindings; i++) {
  const namespace = `ns${i % namespaces}`;
  // Every tenth is of the cluster, and they come to all of its 500 roles.
  const even = `ClusterRole r${(i % 10 === 0 ? i / 5 : i * 2) % roles}`;
  if (i % 10 === 0) entries.push(binding(`b${i}`, even, `User user-${i % 3000}`, "Group everyone"));
  else if (i % 10 < 5) entries.push(binding(`${namespace}/b${i}`, even, `User user-${i % 3000}`, "Group team"));
  else entries.push(binding(`${namespace}/b${i}`, `Role r${i % roles}`, `ServiceAccount sa-${i % 50}`));
}

const heapMiB = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

const before = heapMiB();
const start = performance.now();
const { rbac, decide } = loadedRbac(entries);
const took = performance.now() - start;

const few = user("user-11", "system:authenticated");
const account = user(
  "system:serviceaccount:ns7:sa-7",
  "system:serviceaccounts",
  "system:serviceaccounts:ns7",
  "system:authenticated",
);
const many = user("nobody-special", "everyone", "team", "system:authenticated");
const at = { namespace: "ns11", name: "x" };
const cases: readonly (readonly [string, Attributes, string])[] = [
  ["user in few bindings, allowed", asks({ user: few, verb: "list", of: "things-22", ...at }), "allow"],
  ["user in few bindings, denied", asks({ user: few, verb: "delete", of: "secrets", ...at }), "noOpinion"],
  ["service account, denied", asks({ user: account, verb: "delete", of: "nodes", namespace: "ns7" }), "noOpinion"],
  ["groups in thousands of bindings, allowed", asks({ user: many, verb: "get", of: "pods", ...at }), "allow"],
  ["…, allowed by name", asks({ user: many, verb: "get", of: "secrets", ...at, name: "secret-140" }), "allow"],
  ["…, denied", asks({ user: many, verb: "delete", of: "secrets", ...at }), "noOpinion"],
  ["…, path, allowed", asks({ user: many, verb: "get", of: "/more-140/x" }), "allow"],
  ["…, path, denied", asks({ user: many, verb: "get", of: "/metrics" }), "noOpinion"],
  ["nobody known", asks({ user: user("x", "y"), verb: "get", of: "pods", ...at }), "noOpinion"],
];

function best(work: (i: number) => unknown, calls: number, rounds: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    for (let i = 0; i < calls; i++) work(round * calls + i);
    least = Math.min(least, ((performance.now() - begin) / calls) * 1000);
  }
  return least;
}

const print = (what: string, micros: number): void => {
  process.stdout.write(`${what.padEnd(44)} ${micros.toFixed(2).padStart(8)} µs\n`);
};

process.stdout.write(`${roles} roles, ${bindings} bindings, loaded in ${took.toFixed(0)} ms\n`);
for (const [what, attributes, outcome] of cases) {
  const decision = decide(attributes);
  if (decision.outcome !== outcome) throw new Error(`${what}: ${decision.outcome}`);
  // As requests do: texts of their own, not those that the index knows.
  const fresh = Array.from({ length: 100 }, (): Attributes => JSON.parse(JSON.stringify(attributes)));
  best((i) => rbac.authorize(fresh[i % 100] ?? attributes), 100, 300);
  print(
    what,
    best((i) => rbac.authorize(fresh[i % 100] ?? attributes), 100, 1000),
  );
}
const unheard = best((i) => decide(asks({ user: many, verb: "get", of: `junk-${i}`, ...at })), 20, 50);
print("…, asked for the first time", unheard);
process.stdout.write(`heap: ${(heapMiB() - before).toFixed(1)} MiB (the objects included)\n`);
