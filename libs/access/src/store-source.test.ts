import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock, systemClock } from "@orch/runtime/clock.js";
import { expired } from "@orch/status/api-error.js";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import { key, noRevision, revision } from "@orch/store/revision.js";
import { interruptedStore } from "@orch/store/testing/interrupted-store.js";
import { objectSourceSuite, type SourceBed } from "./object-source.suite.js";
import { storeSource } from "./store-source.js";

const naming = createNaming("kubernetes");
const catalog = loadCatalog(naming);
const group = naming.group("rbac.authorization");
const roles = { group, version: "v1", resource: "roles" };

interface StoredBed extends SourceBed {
  /** Writes bytes that are no object. */
  spoil(name: string): Promise<void>;
}

async function storedBed(t: TestContext): Promise<StoredBed> {
  const folder = await mkdtemp(join(tmpdir(), "orch-source-"));
  const real = await openEmbeddedStore({ path: folder, prefix: naming.storePrefix });
  t.after(async () => {
    await real.close();
    await rm(folder, { recursive: true, force: true });
  });
  const store = interruptedStore(real);
  const clock = createManualClock();
  const log: string[] = [];
  const prefix = catalog.find(group, "v1", "roles")?.storage.prefix;
  const write = async (name: string, value: Buffer | undefined): Promise<void> => {
    const at = key(`${naming.storePrefix}${prefix}/ns/${name}`);
    const expected = (await store.get(at))?.revision ?? noRevision;
    assert.ok((await store.swap({ key: at, expected, value })).done);
  };
  return {
    source: storeSource({
      ...{ store, catalog, naming, clock },
      log: (what, error) => void log.push(`${what}: ${String(error)}`),
    }),
    collection: roles,
    log,
    put: (name) => write(name, Buffer.from(JSON.stringify({ metadata: { name, namespace: "ns" } }))),
    remove: (name) => write(name, undefined),
    spoil: (name) => write(name, Buffer.from("no object")),
    gap: () => store.endWatches(expired("compacted")),
    fault: () => store.endWatches(new Error("broken")),
    failLoad: () => store.failLoad(new Error("away")),
    holdLoads: store.holdLoads,
    get following() {
      return store.openWatches > 0;
    },
    get loads() {
      return store.loads;
    },
    pass: () => clock.advance(1000),
  };
}

objectSourceSuite("a source of the store", storedBed);

test("what cannot be read is logged by name, told of no more, and keeps nothing else from being told", async (t) => {
  const bed = await storedBed(t);
  const told: string[] = [];
  await bed.put("a");
  await bed.put("b");
  const following = bed.source.follow(roles, {
    replaced: (all) => void told.push(["=", ...all.map(({ metadata }) => metadata.name)].join(" ")),
    changed: ({ metadata }) => void told.push(`+ ${metadata.name}`),
    deleted: ({ metadata }) => void told.push(`- ${metadata.name}`),
  });
  const until = async (lines: number): Promise<void> => {
    while (told.length < lines || !bed.following) await new Promise((resolve) => setImmediate(resolve));
  };
  await until(1);
  await bed.spoil("b");
  await until(2);
  await bed.put("a");
  await until(3);
  await bed.put("b");
  await until(4);
  following.stop();
  assert.deepEqual(told, ["= a b", "= a", "+ a", "+ b"]);
  assert.equal(bed.log.length, 1);
  assert.match(bed.log[0] ?? "", /stored roles cannot be read.*ns\/b at revision/);
});

test("objects are read and followed as they are stored", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "orch-source-"));
  const store = await openEmbeddedStore({ path: folder, prefix: naming.storePrefix });
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const prefix = catalog.find(group, "v1", "roles")?.storage.prefix;
  const put = async (name: string, expected = noRevision, gone = false) => {
    const value = gone ? undefined : Buffer.from(JSON.stringify({ metadata: { name, namespace: "ns" } }));
    const swap = await store.swap({ key: key(`${naming.storePrefix}${prefix}/ns/${name}`), expected, value });
    assert.ok(swap.done);
    return swap.revision;
  };
  const first = await put("a");
  const source = storeSource({ store, catalog, naming, clock: systemClock, log: (what) => assert.fail(what) });
  const told: string[] = [];
  let more = (): void => {};
  const following = source.follow(roles, {
    replaced: (all) => note(`= ${all.map((o) => o.metadata.name).join(" ")}`),
    changed: ({ metadata }) => note(`+ ${metadata.name} ${metadata.resourceVersion}`),
    deleted: ({ metadata }) => note(`- ${metadata.name}`),
  });
  const note = (line: string): void => {
    told.push(line);
    more();
  };
  const until = async (count: number): Promise<void> => {
    while (told.length < count) {
      await new Promise<void>((resolve) => {
        more = resolve;
      });
    }
  };
  await until(1);
  const second = await put("b");
  await put("a", revision(first), true);
  await until(3);
  assert.deepEqual(told, ["= a", `+ b ${second}`, "- a"]);
  following.stop();
  const found = await source.get({ ...roles, namespace: "ns" }, "b");
  assert.deepEqual(found?.metadata, { name: "b", namespace: "ns", resourceVersion: String(second) });
  assert.equal(await source.get({ ...roles, namespace: "ns" }, "a"), undefined);
});

test("what is not stored as it is asked for is refused", async () => {
  const never = { get: () => assert.fail("asked"), range: () => assert.fail("asked") };
  const store = never as unknown as Parameters<typeof storeSource>[0]["store"];
  const source = storeSource({ store, catalog, naming, clock: systemClock, log: () => {} });
  await assert.rejects(source.get({ ...roles, version: "v1beta1" }, "a"), TypeError);
  await assert.rejects(source.get({ ...roles, resource: "nothings" }, "a"), TypeError);
});
