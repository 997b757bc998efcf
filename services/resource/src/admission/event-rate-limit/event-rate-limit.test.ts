import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { assertLinear } from "@orch/status/testing/growth.js";
import { admitted } from "../../testing/admitted.js";
import { usualConfigurations } from "../configurations.js";
import { localBuckets, sharedOrLocal } from "./buckets.js";
import { type EventLimit, type LimitType, parseEventRateLimitConfiguration } from "./configuration.js";

const limit = (type: LimitType, burst: number, more: Partial<EventLimit> = {}): EventLimit => ({
  // Nothing comes back within a test.
  ...{ type, burst, qps: 1e-9, cacheSize: 100 },
  ...more,
});
const of = (limits: readonly EventLimit[]) => ({
  enabled: ["EventRateLimit"],
  configurations: { ...usualConfigurations, eventRateLimit: { limits } },
});
const events = { resource: "events" } as const;
const event = (name: string, about = "p", host = "h") => ({
  metadata: { name },
  involvedObject: { kind: "Pod", namespace: "default", name: about, uid: "u", apiVersion: "v1" },
  source: { component: "c", host },
  reason: "r",
  type: "Normal",
});
const user = (name: string) => ({ ...events, user: { name, uid: "", groups: [], extra: {} } });

test("who tells of more than the limit is told to wait, also of changes; dry runs and other kinds are free", async (t) => {
  const { says } = await admitted(t, of([limit("Server", 2)]));
  const refused = "429 limit reached on type Server for key ";
  assert.equal(await says({ ...events, options: { dryRun: "All" } }, event("z")), "ok");
  assert.equal(await says(events, event("a")), "ok");
  assert.equal(await says({ ...events, verb: "update", name: "a" }, { ...event("a"), reason: "other" }), "ok");
  assert.equal(await says(events, event("b")), refused);
  assert.equal(await says({ ...events, options: { dryRun: "All" } }, event("b")), "ok");
  assert.equal(await says({}, { metadata: { name: "a" } }), "ok");
});

test("each namespace, user or source has a bucket of its own", async (t) => {
  const namespaces = await admitted(t, of([limit("Namespace", 1)]));
  assert.equal(await namespaces.says(events, event("a")), "ok");
  const refused = "429 limit reached on type Namespace for key default";
  assert.equal(await namespaces.says(events, event("b")), refused);
  const users = await admitted(t, of([limit("User", 1)]));
  assert.equal(await users.says(user("ann"), event("a")), "ok");
  assert.equal(await users.says(user("bob"), event("b")), "ok");
  assert.equal(await users.says(user("ann"), event("c")), "429 limit reached on type User for key ann");
  const sources = await admitted(t, of([limit("SourceAndObject", 1)]));
  assert.equal(await sources.says(events, event("a", "p")), "ok");
  assert.equal(await sources.says(events, event("b", "q")), "ok");
  assert.equal(await sources.says(events, event("c", "p", "i")), "ok");
  const key = "chPoddefaultpuv1";
  assert.equal(await sources.says(events, event("d", "p")), `429 limit reached on type SourceAndObject for key ${key}`);
});

test("every limit is asked, also after one that has refused", async (t) => {
  const { says } = await admitted(t, of([limit("Server", 1), limit("User", 2), limit("Namespace", 1)]));
  assert.equal(await says(events, event("a")), "ok");
  const [server, namespace] = ["type Server for key ", "type Namespace for key default"];
  assert.equal(await says(events, event("b")), `429 [limit reached on ${server}, limit reached on ${namespace}]`);
  const all = `429 [limit reached on ${server}, limit reached on type User for key test, limit reached on ${namespace}]`;
  assert.equal(await says(events, event("b")), all);
});

test("a bucket fills with time, up to its burst; those used longest ago are forgotten", async () => {
  let now = 0;
  const buckets = localBuckets([limit("User", 2, { qps: 10, cacheSize: 2 })], () => now);
  const take = async (key: string): Promise<boolean> => (await buckets.take([{ limit: 0, key }]))[0] === true;
  assert.deepEqual([await take("a"), await take("a"), await take("a")], [true, true, false]);
  now += 100;
  assert.deepEqual([await take("a"), await take("a")], [true, false]);
  now += 60_000;
  assert.deepEqual([await take("a"), await take("a"), await take("a")], [true, true, false]);
  for (const key of ["b", "c"]) await take(key);
  assert.equal(await take("a"), true, "its bucket was forgotten, which is the price of keeping few");
});

test("while the shared buckets are away a process counts for itself", async () => {
  const asked: string[] = [];
  let away = false;
  const shared = {
    take: async (names: readonly { readonly name: string }[]) => {
      if (away) throw new Error("away");
      asked.push(...names.map(({ name }) => name));
      return names.map(() => false);
    },
  };
  const limits = [limit("User", 1)];
  const buckets = sharedOrLocal(
    limits,
    shared,
    localBuckets(limits, () => 0),
  );
  const question = [{ limit: 0, key: "a" }];
  assert.deepEqual([await buckets.take(question), asked], [[false], ["0:User:a"]]);
  away = true;
  assert.deepEqual(await buckets.take(question), [true]);
  assert.deepEqual(await buckets.take(question), [false]);
});

test("many keys cost no more than few", () => {
  assertLinear(20_000, (count) => {
    const buckets = localBuckets([limit("User", 1, { cacheSize: 50 })], () => 0);
    const questions = Array.from({ length: count }, (_, i) => ({ limit: 0, key: `k${i}` }));
    return () => void buckets.take(questions);
  });
});

const naming = createNaming("kubernetes");
const file = (...limits: object[]) => ({
  ...{ apiVersion: "eventratelimit.admission.k8s.io/v1alpha1", kind: "Configuration" },
  limits,
});
const types = 'supported values: "Namespace", "Server", "SourceAndObject", "User"';
const wrong: readonly (readonly [file: unknown, ...problems: string[]])[] = [
  [file(), "limits: Invalid value: []: must not be empty"],
  [undefined, "limits: Invalid value: []: must not be empty"],
  [file({ type: "Nope", qps: 1, burst: 1 }), `limits[0].type: Unsupported value: "Nope": ${types}`],
  [
    file({ type: "User" }, { type: "Server", qps: -1, burst: 1, cacheSize: -1 }),
    "limits[0].burst: Invalid value: 0: must be positive",
    "limits[0].qps: Invalid value: 0: must be positive",
    "limits[1].qps: Invalid value: -1: must be positive",
    "limits[1].cacheSize: Invalid value: -1: must not be negative",
  ],
  [
    { ...file(), kind: "Other" },
    'no kind "Other" is registered for version "eventratelimit.admission.k8s.io/v1alpha1"',
  ],
];
for (const [given, ...problems] of wrong) {
  test(`configuration ${JSON.stringify(given)} is refused`, () => {
    assert.deepEqual(parseEventRateLimitConfiguration(given, naming), { ok: false, problems });
  });
}

test("a limit that does not say how many buckets it keeps keeps 4096", () => {
  const limits = [{ type: "User", qps: 5, burst: 10, cacheSize: 4096 }];
  const read = parseEventRateLimitConfiguration(file({ type: "User", qps: 5, burst: 10 }), naming);
  assert.deepEqual(read, { ok: true, value: { limits } });
});
