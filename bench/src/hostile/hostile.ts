import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Call, type Credentials, connect, type Http } from "@orch/e2e/harness/http.js";
import { readManifests } from "@orch/e2e/harness/manifest-files.js";
import { newFolder, type StandaloneTarget, startStandalone } from "@orch/e2e/harness/target.js";
import { createNaming } from "@orch/naming/naming.js";
import type { FakeRequest } from "@orch/service-gateway/testing/fake-exchange.js";
import { allGroups } from "../growth/all-groups.js";
import { catalogOfEverything, type Subject, subjectsOf } from "../growth/kinds.js";
import { createOf } from "../growth/requests.js";
import type { Group } from "../growth/rows.js";
import { percentiles } from "../percentile.js";
import { randomOf } from "../random.js";
import { hostileOf } from "./bodies.js";
import { type Probed, startProbing } from "./probing.js";

export interface HostileOptions {
  /** Of each identity. */
  readonly bodies: number;
  readonly seed: number;
}

const { namespace } = readManifests();
const tenant = "tenant-token";
const identities: readonly { readonly name: string; readonly as: Credentials }[] = [
  { name: "anonymous", as: { type: "anonymous" } },
  { name: "a user of one namespace", as: { type: "token", token: tenant } },
  { name: "an administrator", as: { type: "admin" } },
];
/** Bodies that are under way at once. */
const senders = 4;
const calmMs = 5000;
const probed = "/api/v1/namespaces/default/configmaps/probed";

/** Sends random hostile bodies to a real server while somebody else reads; false where that somebody was let down. */
export async function benchHostile({ bodies, seed }: HostileOptions): Promise<boolean> {
  const naming = createNaming("kubernetes");
  const subjects = subjectsOf(naming, catalogOfEverything(naming));
  const groups = [...allGroups(subjects)];
  const folder = await newFolder();
  const tokens = join(folder, "hostile-tokens.csv");
  await writeFile(tokens, `${tenant},tenant,tenant\n`);
  const gates = ["--runtime-config=api/all=true", "--feature-gates=CBORServingAndStorage=true"];
  const target = await startStandalone({
    dialect: "kubernetes",
    args: ["--secure-port=0", ...gates, `--token-auth-file=${tokens}`],
  });
  const http = connect(target);
  try {
    await settle(http, subjects);
    await warmUp(http);
    const calm = await during(target, () => new Promise((resolve) => setTimeout(resolve, calmMs)));
    process.stdout.write(`calm: ${shown(calm.probed)}\n`);
    let good = true;
    for (const [i, { name, as }] of identities.entries()) {
      const own = seed + i;
      const reached = groups.filter((group) => reaches(name, group));
      const attack = await during(target, () => send(http, reached, { as, bodies, random: randomOf(own) }));
      process.stdout.write(`${name}, seed ${own}: ${shown(attack.probed, calm.probed)}; ${told(attack.done)}\n`);
      good &&= attack.probed.failures === 0 && attack.done.failures.length === 0;
    }
    return good;
  } finally {
    http.close();
    await target.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a namespace's administrator may write is most of what the user of one namespace sends; refusals cost little. */
const ofOneNamespace =
  /^(v1\.(ConfigMap|Pod|Secret|Service|PersistentVolumeClaim)|apps\/|batch\/|networking|body|patch|head)/;

function reaches(identity: string, { kind }: Group): boolean {
  return identity !== "a user of one namespace" || ofOneNamespace.test(kind);
}

/** The first requests of a process compile it. */
async function warmUp(http: Http): Promise<void> {
  for (let i = 0; i < 300; i++) await http.get(probed);
}

/** With an object of every kind for updates and patches to find. */
async function settle(http: Http, subjects: readonly Subject[]): Promise<void> {
  const json = async (path: string, body: object): Promise<void> => {
    const answer = await http.post(path, body);
    assert.equal(answer.status, 201, answer.text);
  };
  await json("/api/v1/namespaces", { metadata: { name: namespace } });
  await json("/api/v1/namespaces/default/configmaps", { metadata: { name: "probed" }, data: { a: "b" } });
  await json(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    metadata: { name: "tenant" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "tenant" }],
  });
  let made = 0;
  for (const { kind, object } of subjects) {
    if (
      kind.hub === kind &&
      (await http.call(callOf(createOf({ kind, object, name: "" }, object, { query: {} })))).status === 201
    )
      made += 1;
  }
  assert.ok(made > 40, `${made} objects`);
}

async function during<T>(target: StandaloneTarget, work: () => Promise<T>): Promise<{ probed: Probed; done: T }> {
  const [url = ""] = target.urls;
  const endpoint = { host: "127.0.0.1", port: Number(new URL(url).port), token: target.pki.adminToken };
  const probing = await startProbing(endpoint, probed);
  const done = await work();
  return { done, probed: await probing.end() };
}

interface Attack {
  readonly codes: ReadonlyMap<number, number>;
  readonly slowest: { readonly name: string; readonly ms: number };
  readonly failures: readonly string[];
}

async function send(
  http: Http,
  groups: readonly Group[],
  { as, bodies, random }: { readonly as: Credentials; readonly bodies: number; readonly random: () => number },
): Promise<Attack> {
  const codes = new Map<number, number>();
  const failures: string[] = [];
  let slowest = { name: "", ms: 0 };
  let left = bodies;
  const sender = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const hostile = hostileOf(groups, random);
      if (hostile === undefined) throw new Error("there is nothing to send");
      const { name, request } = hostile;
      const began = performance.now();
      try {
        const { status } = await http.call({ ...callOf(request), as });
        codes.set(status, (codes.get(status) ?? 0) + 1);
        if (status >= 500) failures.push(`${name}: ${status}`);
      } catch (error) {
        codes.set(0, (codes.get(0) ?? 0) + 1);
        if (!isCut(error)) failures.push(`${name}: ${String(error)}`);
      }
      const ms = performance.now() - began;
      if (ms > slowest.ms) slowest = { name, ms };
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  return { codes, slowest, failures };
}

function callOf({ method = "GET", target: path, headers = {}, body }: FakeRequest): Call {
  return { method, path, headers, ...(body === undefined ? {} : { body }) };
}

/** A body that is refused before it was read ends its connection, and node's client may notice that first. */
function isCut(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
}

function shown({ took, failures }: Probed, calm?: Probed): string {
  const at = percentiles(took);
  const [p50, p99, max] = [at(0.5), at(0.99), at(1)];
  const times = calm === undefined ? "" : `, p99 ${(p99 / percentiles(calm.took)(0.99)).toFixed(1)} times the calm one`;
  const figures = `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(0)} ms`;
  return `${took.length} gets, ${failures} failed: ${figures}${times}`;
}

function told({ codes, slowest, failures }: Attack): string {
  const counts = [...codes].sort(([a], [b]) => a - b).map(([code, count]) => `${count} × ${code === 0 ? "cut" : code}`);
  const slow = `slowest ${slowest.ms.toFixed(0)} ms: ${slowest.name}`;
  return [`answers ${counts.join(", ")}`, slow, ...failures.map((failure) => `FAILED ${failure}`)].join("\n  ");
}
