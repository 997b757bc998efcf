import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openBed, type Subject } from "./testing/bed.js";

const start = async (t: TestContext): Promise<Subject> => (await openBed(t, "orch")).start();

const namespaces = { resource: "namespaces", namespace: "" };

test("an update of a namespace that is being deleted leaves it there until its own finalizers are gone", async (t) => {
  const { write, read } = await start(t);
  await write(namespaces, { metadata: { name: "n1" } });
  const deleted = read(await write({ ...namespaces, verb: "delete", name: "n1" }));
  assert.deepEqual(deleted.status, { phase: "Terminating" });
  const labelled = { metadata: { name: "n1", labels: { a: "b" } } };
  await write({ ...namespaces, verb: "update", name: "n1" }, labelled);
  const again = read(await write({ ...namespaces, verb: "update", name: "n1" }, labelled));
  assert.notEqual(again.metadata["deletionTimestamp"], undefined);
  await assert.rejects(write({ namespace: "n1" }, { metadata: { name: "late" } }), { reason: "Forbidden" });
});

test("the begin of a deletion is a generation of its own, where there are generations", async (t) => {
  const { write, read } = await start(t);
  const place = { group: "apps", resource: "deployments" };
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "c" }] } };
  const spec = { selector: { matchLabels: { a: "b" } }, template };
  const metadata = { name: "d", finalizers: ["example.com/f"] };
  const made = read(await write(place, { apiVersion: "apps/v1", kind: "Deployment", metadata, spec }));
  assert.equal(made.metadata["generation"], 1);
  for (const _ of ["first", "again"]) {
    assert.equal(read(await write({ ...place, verb: "delete", name: "d" })).metadata["generation"], 2);
  }
  await write({}, { metadata: { ...metadata, name: "m" } });
  assert.equal(read(await write({ verb: "delete", name: "m" })).metadata["generation"], undefined);
});

test("an object with finalizers is deleted in two phases, in any order of theirs", async (t) => {
  const { write, read } = await start(t);
  const finalizers = ["example.com/a", "example.com/b"];
  await write({}, { metadata: { name: "f", finalizers } });
  const marked = read(await write({ verb: "delete", name: "f" }));
  assert.equal(marked.metadata["deletionTimestamp"], "2025-01-01T00:00:00Z");
  await write({ verb: "update", name: "f" }, { metadata: { name: "f", finalizers: ["example.com/a"] } });
  const added = { metadata: { name: "f", finalizers: ["example.com/a", "example.com/c"] } };
  await assert.rejects(write({ verb: "update", name: "f" }, added), { reason: "Invalid" });
  await write({ verb: "update", name: "f" }, { metadata: { name: "f" } });
  await assert.rejects(write({ verb: "delete", name: "f" }), { reason: "NotFound" });
});

test("a dry run says what would be and stores nothing, also where it is asked for twice", async (t) => {
  const { write } = await start(t);
  for (const dryRun of ["All", "All\nAll"]) {
    assert.equal((await write({ options: { dryRun } }, { metadata: { name: "d" } })).code, 201);
    await assert.rejects(write({ verb: "delete", name: "d" }), { reason: "NotFound" });
  }
  await assert.rejects(write({ options: { dryRun: "All,foo" } }, { metadata: { name: "d" } }), { reason: "Invalid" });
});

test("names that nothing can be stored under are not found, and no fault", async (t) => {
  const { write } = await start(t);
  const long = "x".repeat(5000);
  await assert.rejects(write({ verb: "update", name: long }, { metadata: { name: long } }), { reason: "NotFound" });
  await assert.rejects(write({ verb: "delete", name: long }), { reason: "NotFound" });
  await assert.rejects(write({ namespace: long }, { metadata: { name: "a" } }), { reason: "NotFound" });
});

test("generated names try again when one is taken, and say so in the end", async (t) => {
  const { write } = await start(t);
  await write({}, { metadata: { generateName: "g-" } });
  await assert.rejects(write({}, { metadata: { generateName: "g-" } }), { reason: "AlreadyExists" });
});

test("an update that changes nothing keeps the version", async (t) => {
  const { write, read } = await start(t);
  const created = read(await write({}, { metadata: { name: "same" }, data: { k: "v" } }));
  const updated = read(await write({ verb: "update", name: "same" }, { metadata: { name: "same" }, data: { k: "v" } }));
  assert.equal(updated.metadata["resourceVersion"], created.metadata["resourceVersion"]);
});

test("a body that does not say its version is of the request's, whatever version was written before", async (t) => {
  const { write, read } = await start(t);
  const scalers = { group: "autoscaling", resource: "horizontalpodautoscalers" };
  const target = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
  const object = { metadata: { name: "h" }, spec: { maxReplicas: 3, scaleTargetRef: target } };
  await write({ ...scalers, version: "v1" }, object);
  const wider = { ...object, spec: { ...object.spec, maxReplicas: 5 } };
  const updated = read(await write({ ...scalers, version: "v2", verb: "update", name: "h" }, wider));
  assert.equal(updated["apiVersion"], "autoscaling/v2");
});

test("an update with the same fields in another order changes nothing", async (t) => {
  const { write, read } = await start(t);
  const made = await write({}, { metadata: { name: "same", labels: { a: "1", b: "2" } }, data: { k: "v", l: "w" } });
  const other = { data: { l: "w", k: "v" }, metadata: { labels: { b: "2", a: "1" }, name: "same" } };
  const updated = await write({ verb: "update", name: "same" }, other);
  assert.deepEqual(updated.body, made.body);
  const next = read(await write({ verb: "update", name: "same" }, { ...other, data: { l: "v", k: "w" } }));
  assert.notEqual(next.metadata["resourceVersion"], read(made).metadata["resourceVersion"]);
});

test("what comes back to what it was is no change, however much later it is written", async (t) => {
  let now = Date.parse("2025-01-01T00:00:00Z");
  const { write, read } = await (await openBed(t, "orch")).start({ now: () => (now += 5000) });
  await write(namespaces, { metadata: { name: "n1" } });
  await write({}, { metadata: { name: "m" }, data: { k: "v" } });
  const slices = { group: "discovery.orch", resource: "endpointslices", name: "e" };
  const slice = {
    apiVersion: "discovery.orch/v1",
    kind: "EndpointSlice",
    metadata: { name: "e" },
    addressType: "IPv4",
  };
  const spec = { finalizers: ["example.com/a"] };
  const patch = (type: string, fieldManager = "") =>
    ({ verb: "patch", contentType: `application/${type}`, options: { fieldManager } }) as const;
  const rows: readonly (readonly [Parameters<typeof write>[0], object])[] = [
    // Its finalizers are written through another endpoint.
    [
      { ...namespaces, verb: "update", name: "n1" },
      { metadata: { name: "n1" }, spec },
    ],
    [{ ...namespaces, ...patch("merge-patch+json"), name: "n1" }, { spec }],
    // An atomic list, whose items have defaults.
    [
      { ...slices, ...patch("apply-patch+yaml", "one") },
      { ...slice, endpoints: [], ports: [{ port: 80 }] },
    ],
    [
      { verb: "update", name: "m" },
      { metadata: { name: "m", generation: 7 }, data: { k: "w" } },
    ],
  ];
  for (const [request, body] of rows) {
    const first = read(await write(request, body));
    const again = read(await write(request, body));
    assert.deepEqual(again, first, JSON.stringify(request));
  }
});

const schemas = { group: "flowcontrol.apiserver.orch", version: "v1", resource: "flowschemas", namespace: "" };

/** Deleting an object tells whether it is there. */
async function waitToDelete(write: Subject["write"], name: string): Promise<void> {
  for (let tries = 100; ; tries--) {
    try {
      await write({ ...schemas, verb: "delete", name });
      return;
    } catch (error) {
      if (tries === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

test("the objects of flow control are there from the start, and come back when they are deleted", async (t) => {
  const { write } = await start(t);
  for (const name of ["exempt", "exempt", "global-default", "global-default"]) await waitToDelete(write, name);
});
