import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import { key, noRevision } from "@orch/store/revision.js";
import { expireKind, runExpiry } from "./expiry.js";
import { createNamespaces } from "./namespaces.js";

const now = Date.parse("2025-01-01T02:00:00Z");
const events = [
  { name: "old", created: "2025-01-01T00:59:59Z", last: undefined, stays: false },
  { name: "young", created: "2025-01-01T01:00:01Z", last: undefined, stays: true },
  { name: "old-but-seen-again", created: "2025-01-01T00:00:00Z", last: "2025-01-01T01:30:00Z", stays: true },
  { name: "without-times", created: undefined, last: undefined, stays: false },
];

test("objects of kinds that expire go when their last change is over age", async () => {
  const path = await mkdtemp(join(tmpdir(), "orch-expiry-"));
  const naming = createNaming("orch");
  const catalog = loadCatalog(naming);
  const store = await openEmbeddedStore({ path, prefix: naming.storePrefix });
  try {
    const kind = catalog.kind("v1", "Event");
    assert.ok(kind?.storage.ttlSeconds !== undefined, "Events expire");
    for (const { name, created, last } of events) {
      const value = {
        kind: "Event",
        apiVersion: "v1",
        metadata: { name, creationTimestamp: created },
        lastTimestamp: last,
      };
      const at = key(`${naming.storePrefix}events/a/${name}`);
      await store.swap({ key: at, expected: noRevision, value: Buffer.from(JSON.stringify(value)) });
    }
    const log = (what: string): void => assert.fail(what);
    const namespaces = createNamespaces({ store, prefix: key(`${naming.storePrefix}namespaces/`), log });
    const fixed = { now: () => now, newUid: () => "", random: () => 0 };
    const deps = { store, catalog, naming, namespaces, log, kinds: [kind], ttlMs: 3_600_000, ...fixed };
    assert.equal(await expireKind(deps, kind), 2);
    const left = await store.range({ prefix: key(`${naming.storePrefix}events/`) });
    const names = left.entries.map((entry) => entry.key.split("/").at(-1));
    assert.deepEqual(
      names.sort(),
      events
        .filter((e) => e.stays)
        .map((e) => e.name)
        .sort(),
    );
  } finally {
    await store.close();
    await rm(path, { recursive: true, force: true });
  }
});

test("rounds leave no listeners behind on a signal that lives as long as the process", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const path = await mkdtemp(join(tmpdir(), "orch-expiry-"));
  const naming = createNaming("orch");
  const store = await openEmbeddedStore({ path, prefix: naming.storePrefix });
  const log = (what: string): void => assert.fail(what);
  const namespaces = createNamespaces({ store, prefix: key(`${naming.storePrefix}namespaces/`), log });
  const fixed = { now: () => now, newUid: () => "", random: () => 0 };
  const deps = { store, catalog: loadCatalog(naming), naming, namespaces, log, kinds: [], ttlMs: 1, ...fixed };
  const abort = new AbortController();
  const running = runExpiry(deps, abort.signal);
  for (let round = 0; round < 5; round++) {
    assert.equal(getEventListeners(abort.signal, "abort").length, 1);
    t.mock.timers.tick(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  abort.abort();
  await running;
  assert.equal(getEventListeners(abort.signal, "abort").length, 0);
  await store.close();
  await rm(path, { recursive: true, force: true });
});
