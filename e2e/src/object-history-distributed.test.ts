import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { isReadable, type NoteSpace } from "@orch/store/notes.js";
import { key } from "@orch/store/revision.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { encryptingWith, localKeys, storage, writeEncryption } from "./harness/encryption.js";
import { type Credentials, connect, type Http, type Query, valueAt } from "./harness/http.js";
import { map, maps, revisionOf, rows } from "./harness/past.js";
import { type DistributedTarget, newFolder, removeFolder, startDistributed } from "./harness/target.js";
import { until, untilInRow } from "./harness/until.js";
import { objectHistory } from "./suite/object-history.js";

/** Objects' past where each service is a process of its own, the store is etcd, and everything in it is sealed. */
describe("the history of objects by services", { skip: (await etcdMissing()) ?? false }, () => {
  let folder: string;
  let target: DistributedTarget;
  let http: Http;
  let keys: string;
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
    keys = join(folder, "keys.json");
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
  async function stored(below: string, space: NoteSpace = "states"): Promise<readonly string[]> {
    const { storePrefix: prefix } = target.naming;
    const store = await openEtcdStore({ endpoints: target.cluster.etcd.endpoints, prefix });
    try {
      const notes = await store.notes.range({ space, prefix: key(prefix + below) });
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

  test("a migration exchanges the key of records, those of deleted objects too, and the old key can go", async () => {
    const path = `${maps()}/rotated`;
    const first = revisionOf(await http.post(maps(), map("rotated", "one")));
    await http.patch(path, "merge", { data: { value: "two" } });
    await http.delete(path);
    await writeEncryption(keys, ["*.*"], [localKeys("aesgcm", "two", "one")]);
    const progress = join(folder, "progress.json");
    const told = await until("records are sealed with the new key", async () => {
      const said = await storage(target, "migrate", "configmaps", `--progress=${progress}`);
      const all = [await stored("configmaps/"), await stored("configmaps/", "deleted")].flat();
      return all.every((record) => record.startsWith("k8s:enc:aesgcm:v1:two:")) ? said : undefined;
    });
    assert.match(told, /^configmaps: \d+ records of their past, \d+ written anew$/m);
    await writeEncryption(keys, ["*.*"], [localKeys("aesgcm", "two")]);
    // What stands under the old key alone tells that it is gone.
    await until("the old key is gone", async () => {
      const { status } = await http.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/view/history");
      return status === 500 ? true : undefined;
    });
    assert.equal(rows(await http.get(`${path}/history`)).length, 3);
    assert.equal((await http.get(`${path}/history/${first}`)).at("data.value"), "one");
    assert.equal((await http.post(`${path}/undelete`, {})).at("data.value"), "two");
    await writeEncryption(keys, ["*.*"], [localKeys("aesgcm", "two", "one")]);
    // Each group's service hears of it by itself.
    for (const each of ["/apis/rbac.authorization.k8s.io/v1/clusterroles/view", "/api/v1/namespaces/default"]) {
      await untilInRow(
        `the old key is back for ${each}`,
        async () => (await http.get(`${each}/history`)).status === 200,
      );
    }
  });

  test("a migration of records is a patch of all of them, and no other", async () => {
    const all = (path: string, query: Query = {}, body: object | string = {}, as?: Credentials) =>
      http.call({
        ...{ method: "PATCH", path, query, body, headers: { "content-type": "application/merge-patch+json" } },
        ...(as === undefined ? {} : { as }),
      });
    const path = "/api/v1/configmaps/-/history";
    for (const good of [path, `${maps()}/-/history`, "/api/v1/namespaces/-/history", "/api/v1/nodes/-/history"]) {
      const answer = await all(good, { limit: 2 });
      assert.deepEqual([answer.status, answer.at("kind")], [200, "ObjectHistoryMigration"], `${good}: ${answer.text}`);
    }
    const { metadata } = JSON.parse((await all(path, { limit: 2 })).text);
    assert.equal((await all(`${maps("elsewhere")}/-/history`, { continue: metadata.continue })).status, 400);
    for (const query of [{ dryRun: "All" }, { continue: "%" }, { limit: "x" }, { at: 1 }])
      assert.equal((await all(path, query)).status, 400, JSON.stringify(query));
    for (const body of [{ data: 1 }, "{", "[]", "null"])
      assert.equal((await all(path, {}, body)).status, 400, String(body));
    assert.equal((await all(path, {}, {}, { type: "user", name: "reader" })).status, 403);
    assert.equal((await all(`${maps()}/sealed/history`)).status, 405);
    assert.equal((await all(`${maps()}/sealed/history/1`)).status, 405);
    assert.equal((await http.get(path)).status, 404);
    assert.equal((await all("/api/v1/secrets/-/history")).status, 404);
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
    const history = rows(
      await until("the past is read again", async () => {
        const answer = await http.get(`${path}/history`);
        return answer.status === 200 ? answer : undefined;
      }),
    );
    assert.equal(history[0]?.["revision"], revisionOf(await http.get(path)));
    assert.ok(history.every(({ user, restorable }) => user === "admin" && restorable === true));
    assert.equal(history.at(-1)?.["change"], "created");
  });
});
