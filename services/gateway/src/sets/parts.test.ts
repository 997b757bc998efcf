import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError, invalid, notFound } from "@orch/status/api-error.js";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { changesOf } from "./changes.js";
import { readDeletion } from "./deletion-options.js";
import { eachOf } from "./each-of.js";
import { fingerprintOf } from "./fingerprint.js";
import { createOperations } from "./operations.js";
import { inPhases, rankOf } from "./order.js";
import { refusal } from "./problems.js";
import { markOf } from "./set-object.js";

const catalog = loadCatalog(createNaming("kubernetes"));

function notAsked(): never {
  throw new TypeError("not asked for here");
}

function sorted(names: readonly string[]): readonly string[] {
  const kinds = catalog.storedKinds();
  const rank = (name: string): number => {
    if (name === "a custom resource") return rankOf({ plural: "things", definition: notAsked });
    const kind = kinds.find(({ plural }) => plural === name);
    assert.ok(kind, name);
    return rankOf(kind);
  };
  return inPhases(names, rank).flat();
}

test("what others need is written before them, and what judges others last", () => {
  const right = [
    ...["namespaces", "customresourcedefinitions", "serviceaccounts", "rolebindings", "resourcequotas", "secrets"],
    ...["persistentvolumeclaims", "services", "leases", "deployments", "ingresses", "a custom resource", "apiservices"],
    "mutatingwebhookconfigurations",
  ];
  assert.deepEqual(sorted([...right].reverse()), right);
});

test("sixteen run at once at most, in order, and what one throws is thrown", async () => {
  let running = 0;
  let most = 0;
  const run = async (n: number): Promise<number> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return 2 * n;
  };
  const numbers = Array.from({ length: 50 }, (_, i) => i);
  assert.deepEqual(
    await eachOf(numbers, run),
    numbers.map((n) => 2 * n),
  );
  assert.equal(most, 16);
  assert.deepEqual(await eachOf([], run), []);
  await assert.rejects(
    eachOf([1, 2], async () => Promise.reject(new Error("no"))),
    /no/,
  );
});

const named = { kind: "Set", group: "sets.orch", name: "x" };
const told = (...errors: readonly ApiError[]) =>
  refusal(
    errors.map((error, i) => ({ at: `spec.objects[${i}]`, what: `configmaps "${i}"`, error })),
    { set: named, outcome: "nothing was written" },
  );

test("one refusal keeps its reason; several of one reason too; mixed ones are Invalid", () => {
  const missing = notFound({ group: "", resource: "namespaces" }, "n");
  const wrong = invalid({ group: "", kind: "Pod" }, "p", [
    { reason: "FieldValueRequired", field: "spec.containers", message: "Required value" },
  ]);
  assert.equal(told(missing).code, 404);
  assert.equal(told(missing, missing).reason, "NotFound");
  const mixed = told(missing, wrong);
  assert.equal(mixed.code, 422);
  assert.deepEqual(mixed.details?.causes, [
    { reason: "FieldValueInvalid", field: "spec.objects[0]", message: 'namespaces "n" not found' },
    { reason: "FieldValueRequired", field: "spec.objects[1].spec.containers", message: "Required value" },
  ]);
  assert.match(
    mixed.message,
    /^Set "x": 2 objects are refused, nothing was written: spec.objects\[0\] configmaps "0": /,
  );
});

test("a thousand refusals of a megabyte each are an answer of bounded length", () => {
  const long = new ApiError("Invalid", "x".repeat(1 << 20));
  const error = told(...Array.from({ length: 1000 }, () => long));
  assert.ok(JSON.stringify(error.toStatus()).length < 300_000);
  assert.match(error.message, /and 990 more$/);
});

test("a change that is under way keeps others away until its time is over", async () => {
  const clock = createManualClock();
  const operations = createOperations({ clock, newId: () => "one", isAlone: false });
  const operation = await operations.run(1_000, async ({ id, deadline }) => ({ id, deadline }));
  const set = { metadata: {}, status: { operation } };
  assert.throws(() => operations.checkIdle(set, "x"), { reason: "Conflict" });
  clock.advance(20_000);
  operations.checkIdle(set, "x");
  operations.checkIdle({ metadata: {} }, "x");
});

test("where there is no other process a change that is not known here is over", async () => {
  const operations = createOperations({ clock: createManualClock(), newId: () => "one", isAlone: true });
  await operations.run(1_000, async ({ id, deadline }) => {
    assert.throws(() => operations.checkIdle({ metadata: {}, status: { operation: { id, deadline } } }, "x"));
    operations.checkIdle({ metadata: {}, status: { operation: { id: "of a dead process", deadline } } }, "x");
  });
});

test("more changes at once than there is room for are told to come again, and ones that fail give theirs back", async () => {
  let ids = 0;
  const operations = createOperations({ clock: createManualClock(), newId: () => String(ids++), isAlone: true });
  for (let i = 0; i < 20; i++) {
    await assert.rejects(
      operations.run(1, () => Promise.reject(new Error("no"))),
      /no/,
    );
  }
  const ends: (() => void)[] = [];
  const open = Array.from({ length: 8 }, () =>
    operations.run(1, () => new Promise<void>((end) => void ends.push(end))),
  );
  await assert.rejects(
    operations.run(1, async () => {}),
    { reason: "TooManyRequests" },
  );
  for (const end of ends) end();
  await Promise.all(open);
  await operations.run(1, async () => {});
});

const state = (more: object) => ({
  metadata: { name: "a", resourceVersion: "1", generation: 1 },
  spec: { n: 1 },
  ...more,
});

test("a change of the status alone is none, of anything else one", () => {
  const before = fingerprintOf(state({}));
  assert.equal(fingerprintOf(state({ status: { n: 2 }, metadata: { name: "a", resourceVersion: "2" } })), before);
  assert.notEqual(fingerprintOf(state({ spec: { n: 2 } })), before);
  assert.notEqual(fingerprintOf(state({ metadata: { name: "a", labels: {} } })), before);
});

test("a difference tells places, and values only where they may be read, cut where they are long", () => {
  const [before, after] = [
    { a: 1, metadata: { generation: 1 } },
    { a: "x".repeat(1000), metadata: { generation: 2 } },
  ];
  const [open] = changesOf(before, after, { values: true });
  assert.deepEqual([open?.path, open?.before, open?.after?.length], [".a", "1", 201]);
  assert.deepEqual(changesOf(before, after, { values: false }), [{ path: ".a", operation: "changed" }]);
});

test("the mark of a set is its own, a label's value, and its manager is short enough", () => {
  const of = (resource: string, namespace: string, name: string) => markOf({ resource, namespace, name });
  const ids = [of("sets", "a", "b"), of("sets", "b", "a"), of("clustersets", "", "b"), of("sets", "a/b", "")].map(
    ({ id }) => id,
  );
  assert.equal(new Set(ids).size, 4);
  for (const id of ids) assert.match(id, /^[0-9a-f]{40}$/);
  assert.equal(of("sets", "a", "b").manager, "sets.orch/b");
  assert.ok(of("sets", "a", "b".repeat(253)).manager.length <= 128);
});

const deletion = (body: string, more: { contentType?: string; options?: Readonly<Record<string, string>> } = {}) =>
  readDeletion({
    ...{ verb: "delete", group: "", version: "", resource: "", namespace: "", name: "", subresource: "" },
    ...{ body: Buffer.from(body), contentType: "", options: {}, form: "", userAgent: "", ifMatch: "", ...more },
    user: { name: "", uid: "", groups: [], extra: {} },
  });

test("a deletion says in its body or its query what becomes of members, and whether it is a trial", () => {
  assert.deepEqual(deletion(""), { orphan: false, dryRun: false });
  assert.deepEqual(deletion("", { options: { propagationPolicy: "Orphan", dryRun: "All" } }), {
    orphan: true,
    dryRun: true,
  });
  assert.deepEqual(deletion('{"orphanDependents":true,"dryRun":[]}'), { orphan: true, dryRun: false });
  assert.deepEqual(deletion('{"dryRun":["all"],"preconditions":{"uid":"u"}}'), {
    orphan: false,
    dryRun: true,
    uid: "u",
  });
  assert.deepEqual(deletion("propagationPolicy: Orphan", { contentType: "application/yaml; charset=utf-8" }), {
    orphan: true,
    dryRun: false,
  });
  assert.throws(() => deletion("x", { contentType: "application/xml" }), { reason: "UnsupportedMediaType" });
  assert.throws(() => deletion("[]"), { reason: "BadRequest" });
});
