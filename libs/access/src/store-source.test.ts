import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/runtime/clock.js";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import { key, noRevision, revision } from "@orch/store/revision.js";
import { storeSource } from "./store-source.js";

const naming = createNaming("kubernetes");
const catalog = loadCatalog(naming);
const group = naming.group("rbac.authorization");
const roles = { group, version: "v1", resource: "roles" };

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
