import assert from "node:assert/strict";
import { test } from "node:test";
import { createMirror } from "@orch/client/mirror.js";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock, systemClock } from "@orch/runtime/clock.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { until } from "../testing/run-controller.js";
import { claim } from "./adoption.js";
import { createExpectations } from "./expectations.js";
import { createInformers } from "./informers.js";
import { availableInMs, createPodKeeper, isAvailable } from "./pods.js";
import { slowStart } from "./slow-start.js";
import { withCondition } from "./status.js";

test("what an owner did is expected until it is shown, or five minutes have passed", () => {
  const clock = createManualClock();
  const expectations = createExpectations(clock);
  assert.equal(expectations.isMet("ns/a"), true);
  expectations.expectCreations("ns/a", 2);
  expectations.creationSeen("ns/a");
  assert.equal(expectations.isMet("ns/a"), false);
  expectations.creationSeen("ns/a");
  assert.equal(expectations.isMet("ns/a"), true);
  expectations.expectDeletions("ns/a", ["u1", "u2"]);
  expectations.deletionSeen("ns/a", "other");
  expectations.deletionSeen("ns/a", "u1");
  assert.equal(expectations.isMet("ns/a"), false);
  assert.equal(expectations.isMet("ns/b"), true);
  clock.advance(5 * 60_000);
  assert.equal(expectations.isMet("ns/a"), true);
});

for (const [failsAt, done, skipped] of [
  [Number.POSITIVE_INFINITY, 10, 0],
  [0, 0, 9],
  [4, 6, 3],
] as const) {
  test(`slow start of ten of which number ${failsAt} fails does ${done} and skips ${skipped}`, async () => {
    const started = await slowStart([...Array(10).keys()], async (i) => {
      if (i === failsAt) throw new Error("no");
      return i;
    });
    assert.equal(started.done.length, done);
    assert.equal(started.skipped, skipped);
  });
}

test("an owner adopts orphans that it selects and lets go of what it does not", () => {
  const object = (name: string, app: string, more: object = {}) => ({
    metadata: { name, uid: name, labels: { app }, ...more },
  });
  const pods = { managed: [object("own", "web"), object("lost", "db")], orphans: [object("new", "web")] };
  const selector = { matchLabels: { app: "web" } };
  const names = (objects: readonly { readonly metadata: { readonly name?: string } }[]) =>
    objects.map(({ metadata }) => metadata.name);
  const claimed = claim(object("owner", ""), { ...pods, selector });
  assert.deepEqual([claimed.owned, claimed.adopt, claimed.release].map(names), [["own"], ["new"], ["lost"]]);
  const going = claim(object("owner", "", { deletionTimestamp: "2026-01-01T00:00:00Z" }), { ...pods, selector });
  assert.deepEqual([going.owned, going.adopt, going.release].map(names), [["own"], [], []]);
  const deleted = [object("gone", "web", { deletionTimestamp: "2026-01-01T00:00:00Z" })];
  assert.deepEqual(claim(object("owner", ""), { managed: [], orphans: deleted, selector }).adopt, []);
});

test("a condition keeps its transition while its status is the same", () => {
  const at = Date.UTC(2026, 0, 1);
  const first = withCondition([], { type: "A", status: "True", reason: "R" }, at);
  const again = withCondition(first, { type: "A", status: "True", reason: "S" }, at + 5_000);
  assert.deepEqual(again, [{ type: "A", status: "True", reason: "S", lastTransitionTime: "2026-01-01T00:00:00Z" }]);
  const [turned] = withCondition(again, { type: "A", status: "False" }, at + 5_000);
  assert.equal(turned?.lastTransitionTime, "2026-01-01T00:00:05Z");
});

test("a pod is available once it has been ready for long enough", () => {
  const at = Date.UTC(2026, 0, 1);
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const pod = { metadata: {}, status: { conditions } };
  assert.equal(isAvailable(pod, 0, at), true);
  assert.equal(isAvailable(pod, 10, at + 9_000), false);
  assert.equal(isAvailable(pod, 10, at + 10_000), true);
  assert.equal(availableInMs([pod], 10, at + 9_000), 1_000);
  assert.equal(availableInMs([pod], 10, at + 10_000), undefined);
});

test("what is kept of a pod is what controllers decide by", () => {
  const pod = createPodKeeper()({
    metadata: { name: "p", managedFields: [{}], labels: { a: "b" } },
    spec: { containers: [{ name: "c", image: "i", env: [{}], ports: [{ name: "web" }] }], volumes: [{ name: "v" }] },
    status: {
      phase: "Running",
      hostIP: "1.2.3.4",
      containerStatuses: [{ name: "c", restartCount: 2, state: { running: {} } }],
    },
  });
  assert.deepEqual(pod, {
    metadata: { name: "p", labels: { a: "b" } },
    spec: { containers: [{ name: "c", ports: [{ name: "web" }] }] },
    status: { phase: "Running", containerStatuses: [{ name: "c", restartCount: 2 }] },
  });
});

test("controllers of a process share one view of a collection, which ends with the last of them", async () => {
  const server = createMemoryServer();
  server.put("pods/ns/a", { spec: { nodeName: "n" }, metadata: { ownerReferences: [{ uid: "u", controller: true }] } });
  const naming = createNaming("orch");
  const mirror = createMirror({ client: server.client, naming, clock: systemClock, random: () => 0 });
  const pods = createInformers({ mirror, naming }).of("pods");
  const [one, two] = [new AbortController(), new AbortController()];
  const seen: string[] = [];
  const follow = (who: string, { signal }: AbortController) =>
    pods.follow(
      { added: ({ metadata }) => seen.push(`${who} ${metadata.name}`) },
      { signal, onError: (error) => assert.fail(String(error)) },
    );
  const first = follow("one", one);
  await pods.synced;
  const second = follow("two", two);
  assert.deepEqual(seen, ["one a", "two a"], "who comes later is told what is there");
  server.put("pods/ns/b");
  await until(() => seen.length === 4, "both are told");
  assert.equal([...pods.managedBy("u")].length, 1);
  assert.deepEqual(
    [...pods.orphansIn("ns")].map(({ metadata }) => metadata.name),
    ["b"],
  );
  assert.equal([...pods.onNode("n")].length, 1);
  one.abort();
  await first;
  server.put("pods/ns/c");
  await until(() => seen.length === 5, "the other is told still");
  two.abort();
  await second;
});
