import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { isReadable } from "@orch/store/notes.js";
import { key } from "@orch/store/revision.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { encryptingWith, localKeys, writeEncryption } from "./harness/encryption.js";
import { connect, type Http, valueAt } from "./harness/http.js";
import { map, maps, revisionOf, rows } from "./harness/past.js";
import { type DistributedTarget, newFolder, removeFolder, startDistributed } from "./harness/target.js";
import { until } from "./harness/until.js";
import { objectHistory } from "./suite/object-history.js";

/** Objects' past where each service is a process of its own, the store is etcd, and everything in it is sealed. */
describe("the history of objects by services", { skip: (await etcdMissing()) ?? false }, () => {
  let folder: string;
  let target: DistributedTarget;
  let http: Http;
  const few = 3;

  before(async () => {
    folder = await newFolder();
    const rules = join(folder, "history.json");
    await writeFile(
      rules,
      JSON.stringify({
        ...{ apiVersion: "history.orch/v1alpha1", kind: "ObjectHistoryConfiguration" },
        rules: [{ resources: ["secrets"], maxStates: 0 }, { namespaces: ["bounded"], maxStates: few }, {}],
      }),
    );
    const keys = join(folder, "keys.json");
    await writeEncryption(keys, ["*.*"], [localKeys("aesgcm", "one")]);
    const history = [`--object-history=${rules}`];
    target = await startDistributed({ args: history, resourceArgs: history, kmsArgs: encryptingWith(keys) });
    http = connect(target);
  });
  after(async () => {
    http.close();
    await target.stop();
    await removeFolder(folder);
  });

  objectHistory(() => http);

  /** How each record below a key stands in etcd. */
  async function stored(below: string): Promise<readonly string[]> {
    const { storePrefix: prefix } = target.naming;
    const store = await openEtcdStore({ endpoints: target.cluster.etcd.endpoints, prefix });
    try {
      const notes = await store.notes.range({ space: "states", prefix: key(prefix + below) });
      return notes.map((note) => (isReadable(note) ? note.value.toString("latin1") : note.why));
    } finally {
      await store.close();
    }
  }

  test("records are sealed as the objects are", async () => {
    const path = `${maps()}/sealed`;
    await http.post(maps(), map("sealed", "a-story-that-nobody-else-may-read"));
    await http.patch(path, "merge", { data: { value: "nothing" } });
    const records = await stored("configmaps/default/sealed");
    assert.equal(records.length, 2);
    for (const record of records) assert.match(record, /^k8s:enc:aesgcm:v1:one:/);
    assert.equal(rows(await http.get(`${path}/history`)).length, 2);
  });

  test("each group's service removes what is over the bounds of a rule", async () => {
    await http.post("/api/v1/namespaces", { metadata: { name: "bounded" } });
    const leases = "/apis/coordination.k8s.io/v1/namespaces/bounded/leases";
    for (const collection of [maps("bounded"), leases]) {
      const path = `${collection}/busy`;
      const first = revisionOf(await http.post(collection, { metadata: { name: "busy" } }));
      for (let i = 0; i < 60; i++) await http.patch(path, "merge", { metadata: { labels: { i: String(i) } } });
      // Those of the last changes wait until there are fifty of them.
      const kept = await until("the oldest are removed", async () => {
        const history = rows(await http.get(`${path}/history`));
        return history.length < 60 ? history : undefined;
      });
      assert.ok(kept.length >= few, String(kept.length));
      assert.equal((await http.get(`${path}/history/${first}`)).status, 404);
      assert.equal((await http.get(path, { at: first })).status, 410);
    }
    const secrets = "/api/v1/namespaces/default/secrets";
    const made = revisionOf(await http.post(secrets, { metadata: { name: "forgotten" } }));
    for (const path of ["history", `history/${made}`]) {
      assert.equal((await http.get(`${secrets}/forgotten/${path}`)).status, 404, path);
    }
  });

  test("a kind that was defined just now has a history, at each gateway and in its version", async () => {
    const group = "past.example.com";
    await http.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: `gears.${group}` },
      spec: {
        ...{ group, scope: "Namespaced", names: { plural: "gears", kind: "Gear" } },
        versions: [
          {
            ...{ name: "v1", served: true, storage: true },
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    });
    const gears = `/apis/${group}/v1/namespaces/default/gears`;
    const gear = { apiVersion: `${group}/v1`, kind: "Gear", metadata: { name: "g" }, teeth: 12 };
    const made = await until("gears are served", async () => {
      const answer = await http.post(gears, gear);
      return answer.status === 201 ? answer : undefined;
    });
    await until("each gateway serves them", async () => {
      const answers = [await http.get(`${gears}/g`), await http.get(`${gears}/g`)];
      return answers.every(({ status }) => status === 200) ? true : undefined;
    });
    await http.patch(`${gears}/g`, "merge", { teeth: 13 });
    const changes = (await http.get(`${gears}/g/history`, { diff: revisionOf(made) })).at("changes");
    assert.ok(Array.isArray(changes));
    assert.deepEqual(
      changes.find((change) => valueAt(change, "path") === ".teeth"),
      { path: ".teeth", operation: "changed", before: 12, after: 13 },
    );
    await http.delete(`${gears}/g`);
    const back = await http.post(`${gears}/g/undelete`, {});
    assert.deepEqual([back.status, back.at("teeth")], [201, 13], back.text);
  });

  test("a resource service that is killed among writes loses no record and keeps none of what was not done", async () => {
    const [core] = target.cluster.resources;
    assert.ok(core);
    const path = `${maps()}/killed`;
    await http.post(maps(), map("killed", "0"));
    const stop = new AbortController();
    const load = (async () => {
      for (let i = 1; !stop.signal.aborted; i++) {
        await http.patch(path, "merge", { data: { value: String(i) } }, { timeout: "5s" });
      }
    })();
    await until("there is load", async () => (rows(await http.get(`${path}/history`)).length > 10 ? true : undefined));
    await core.kill();
    await core.restart();
    stop.abort();
    await load;
    const history = rows(await http.get(`${path}/history`));
    assert.equal(history[0]?.["revision"], revisionOf(await http.get(path)));
    assert.ok(history.every(({ user, restorable }) => user === "admin" && restorable === true));
    assert.equal(history.at(-1)?.["change"], "created");
  });
});
