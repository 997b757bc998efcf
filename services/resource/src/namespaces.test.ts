import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { expired } from "@orch/status/api-error.js";
import { drive } from "@orch/store/testing/drive.js";
import { openEmbeddedFixture } from "@orch/store/testing/embedded-fixture.js";
import { interruptedStore } from "@orch/store/testing/interrupted-store.js";
import { createNamespaces } from "./namespaces.js";

const active = JSON.stringify({ status: { phase: "Active" } });
const terminating = JSON.stringify({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
const object = { resource: { group: "", resource: "configmaps" }, name: "one" };

/** Namespaces that follow a store. */
async function bed(t: TestContext) {
  const fixture = await openEmbeddedFixture();
  const store = interruptedStore(fixture.store);
  const d = drive(store, fixture.prefix);
  const log: string[] = [];
  const namespaces = createNamespaces({
    ...{ store, prefix: d.prefix },
    log: (what, error) => void log.push(`${what}: ${String(error)}`),
  });
  const abort = new AbortController();
  let running: Promise<void> | undefined;
  t.after(async () => {
    abort.abort();
    await running;
    await fixture.cleanup();
  });
  const start = (): void => {
    running = namespaces.run(abort.signal);
  };
  const verdict = async (name: string): Promise<string> => {
    try {
      await namespaces.admitCreate(name, object);
      return "admitted";
    } catch (error) {
      return error instanceof Error && "reason" in error ? String(error.reason) : "fault";
    }
  };
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
  };
  return { store, d, log, namespaces, start, verdict, until };
}

test("a namespace is known as it is stored, and as it changes", async (t) => {
  const { store, d, log, namespaces, start, verdict, until } = await bed(t);
  const a = await d.put("a", 0, active);
  start();
  await until(() => namespaces.loaded && store.openWatches > 0);
  assert.equal(namespaces.admitCreate("a", object), undefined, "known without asking the store");
  const going = await d.put("a", a, terminating);
  await until(async () => (await verdict("a")) === "Forbidden");
  await d.remove("a", going);
  await until(async () => (await verdict("a")) === "NotFound");
  assert.deepEqual(log, []);
});

test("what changed in a gap is known after it", async (t) => {
  const { store, d, log, namespaces, start, verdict, until } = await bed(t);
  const a = await d.put("a", 0, active);
  start();
  await until(() => namespaces.loaded && store.openWatches > 0);
  const free = store.holdLoads();
  store.endWatches(expired("compacted"));
  await until(() => store.openWatches === 0);
  await d.put("a", a, terminating);
  assert.equal(await verdict("a"), "admitted", "what was told before stands until the next load");
  free();
  await until(async () => (await verdict("a")) === "Forbidden");
  assert.deepEqual(log, []);
});

test("a namespace that cannot be read keeps no other from being known, and is told in the log", async (t) => {
  const { store, d, log, namespaces, start, verdict, until } = await bed(t);
  await d.put("a", 0, active);
  const b = await d.put("b", 0, "no object");
  start();
  await until(() => namespaces.loaded && store.openWatches > 0);
  assert.equal(await verdict("a"), "admitted");
  assert.equal(await verdict("b"), "fault", "the store is asked");
  assert.equal(log.length, 1);
  assert.match(log[0] ?? "", /namespaces cannot be read.*\/b at revision/);
  await d.put("b", b, active);
  await until(async () => (await verdict("b")) === "admitted");
});
