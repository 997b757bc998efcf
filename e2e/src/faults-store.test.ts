import assert from "node:assert/strict";
import { cp, rm } from "node:fs/promises";
import { describe, type TestContext, test } from "node:test";
import type { Client } from "@orch/client/http/http.js";
import { isGone, listAll } from "@orch/client/list-all.js";
import type { Collection } from "@orch/client/objects.js";
import { watch } from "@orch/client/watch.js";
import { ApiError } from "@orch/status/api-error.js";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { revision } from "@orch/store/revision.js";
import { type EtcdServer, etcdMissing } from "@orch/store/testing/etcd-server.js";
import { clientOf, isOutage } from "./harness/clients.js";
import { follow } from "./harness/consistency/histories.js";
import { connect } from "./harness/http.js";
import { startDistributed, startStandalone, type Target } from "./harness/target.js";
import { until, untilInRow } from "./harness/until.js";

const collection: Collection = { group: "", version: "v1", resource: "configmaps", namespace: "default" };
const path = "/api/v1/namespaces/default/configmaps";
/** A read of the newest state waits this long. */
const downMs = 5_000;

/** A silent store keeps its connections, a killed one loses them. */
const falls = [
  {
    name: "three members that are silent, separate services",
    start: async () => {
      const target = await startDistributed();
      return { target, etcd: target.cluster.etcd };
    },
    fall: (etcd: EtcdServer) => Promise.all(etcd.members.map((member) => member.kill("SIGSTOP"))),
    rise: (etcd: EtcdServer) => Promise.all(etcd.members.map((member) => member.kill("SIGCONT"))),
  },
  {
    name: "one member that was killed, one process",
    start: async () => {
      const target = await startStandalone({ etcd: true });
      assert.ok(target.etcd);
      return { target, etcd: target.etcd };
    },
    fall: (etcd: EtcdServer) => Promise.all(etcd.members.map((member) => member.kill())),
    rise: (etcd: EtcdServer) => Promise.all(etcd.members.map((member) => member.restart())),
  },
] as const;

describe("a store that fails", { skip: etcdMissing() ?? false }, () => {
  for (const { name, start, fall, rise } of falls) {
    test(`is down for seconds (${name}): memory answers, new states are refused with a hint when to come back, watches go on`, async (t) => {
      const { target, etcd } = await start();
      t.after(() => target.stop());
      const client = await closing(t, target);
      await client.create(collection, { metadata: { name: "before" } });
      const following = await followFrom(t, client, (await client.list(collection)).resourceVersion);
      const http = connect(target);
      t.after(() => http.close());
      await until("all is ready", async () => ((await http.get("/readyz")).status === 200 ? true : undefined));
      // Memory is to answer: each that is asked in turn has heard of it.
      await untilInRow("memory has the object", async () => {
        const { status } = await http.get(`${path}/before`, { resourceVersion: "0" });
        return status === 200;
      });

      await fall(etcd);
      const fell = performance.now();
      while (performance.now() - fell < downMs) {
        for (const at of [`${path}/before`, path]) {
          const answer = await http.get(at, { resourceVersion: "0" });
          assert.equal(answer.status, 200, answer.text);
        }
        for (const answer of await Promise.all([http.get(`${path}/before`), http.get(path)])) {
          assert.ok(answer.status === 503 || answer.status === 504, `${answer.status} ${answer.text}`);
          assert.match(String(answer.headers["retry-after"]), /^\d+$/);
        }
        assert.equal((await http.get("/readyz")).status, 500);
        assert.equal((await http.get("/livez")).status, 500);
        assert.equal((await http.get("/livez?exclude=store")).status, 200);
      }
      await rise(etcd);

      await until("writes go on", () => unlessOutage(createOnce(client, "after")));
      const { metadata } = await client.get(collection, "after");
      await until("the watch brings it", () =>
        following.last() >= Number(metadata.resourceVersion) ? true : undefined,
      );
      assert.deepEqual(
        following.events.map((event) => event.split(" ").slice(0, 2).join(" ")),
        ["ADDED after"],
      );
      assert.equal(following.watches, 1, "the watch stayed open");
      await until("it is ready again", async () => ((await http.get("/readyz")).status === 200 ? true : undefined));
    });
  }

  for (const when of ["while clients read", "while nobody reads or writes"])
    test(`is set back to a backup ${when}: watches end with 410, and what never was is shown no more`, async (t) => {
      const target = await startStandalone({ etcd: true });
      t.after(() => target.stop());
      const member = target.etcd?.members[0];
      assert.ok(member);
      const client = await closing(t, target);
      await client.create(collection, { metadata: { name: "kept" } });
      await member.kill();
      const backup = `${member.directory}.backup`;
      await cp(member.directory, backup, { recursive: true });
      await member.restart();
      const names = Array.from({ length: 10 }, (_, i) => `lost-${i}`);
      for (const name of names) {
        await until(`${name} is created`, () => unlessOutage(createOnce(client, name)));
      }
      const { resourceVersion } = await client.list(collection);
      const watching = assert.rejects(async () => {
        for await (const { type } of watch(client, collection, { resourceVersion })) assert.equal(type, "BOOKMARK");
      }, isGone);

      await member.kill();
      await rm(member.directory, { recursive: true });
      await cp(backup, member.directory, { recursive: true });
      await member.restart();
      if (when === "while nobody reads or writes") await watching;
      const found = await until("the newest state is told", () => unlessOutage(listAll(client, collection)));
      assert.deepEqual(namesOf(found.items), ["kept"]);
      assert.ok(Number(found.resourceVersion) < Number(resourceVersion));
      await watching;
      for (const version of ["0", ""]) {
        const { items } = await client.list(collection, { resourceVersion: version });
        assert.deepEqual(namesOf(items), ["kept"]);
      }
      const following = await followFrom(t, client, found.resourceVersion);
      await client.create(collection, { metadata: { name: "new" } });
      await until("the new watch tells it", () => (following.events.length > 0 ? true : undefined));
      assert.match(following.events.join(), /^ADDED new \d+ \S+$/);
    });

  test("is compacted below a watcher: it notices nothing; after a restart those that stood above it resume, those below get 410", async (t) => {
    const target = await startStandalone({ etcd: true });
    t.after(() => target.stop());
    assert.ok(target.etcd);
    const store = await openEtcdStore({ endpoints: target.etcd.endpoints, prefix: target.naming.storePrefix });
    t.after(() => store.close());
    const client = await closing(t, target);
    const { resourceVersion: start } = await client.list(collection);
    const following = await followFrom(t, client, start);
    const versions: string[] = [];
    for (let i = 0; i < 6; i++) {
      const { metadata } = await client.create(collection, { metadata: { name: `object-${i}` } });
      versions.push(metadata.resourceVersion ?? "");
      if (i === 3) await store.compact(revision(Number(metadata.resourceVersion)));
    }
    await until("all six are told", () => (following.events.length === 6 ? true : undefined));
    await assert.rejects(client.list(collection, { resourceVersion: start, resourceVersionMatch: "Exact" }), isGone);
    const late = await followFrom(t, client, start);
    await until("memory still has all of them", () => (late.events.length === 6 ? true : undefined));
    assert.deepEqual(late.events, following.events);

    await target.process.kill();
    await target.process.restart();
    const above = await followFrom(t, client, versions[3] ?? "");
    await until("the last two are told again", () => (above.events.length === 2 ? true : undefined));
    assert.deepEqual(above.events, following.events.slice(4));
    await assert.rejects(async () => {
      for await (const { type } of watch(client, collection, { resourceVersion: start }))
        assert.fail(`${type} after a gap`);
    }, isGone);
  });
});

async function closing(t: TestContext, target: Target): Promise<Client> {
  const client = await clientOf(target);
  t.after(() => client.close());
  return client;
}

/** A watcher that ends with the test. */
async function followFrom(t: TestContext, client: Client, from: string) {
  const stop = new AbortController();
  const history = follow({ collection, from, clients: [client], signal: stop.signal });
  t.after(async () => {
    stop.abort();
    await history.done;
  });
  return history;
}

/** A write whose answer was lost is done all the same. */
function createOnce(client: Client, name: string): Promise<unknown> {
  return client.create(collection, { metadata: { name } }).catch((error: unknown) => {
    if (ApiError.from(error).reason === "AlreadyExists") return true;
    throw error;
  });
}

async function unlessOutage<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isOutage(error)) return undefined;
    throw error;
  }
}

const namesOf = (
  items: readonly { readonly metadata: { readonly name?: string } }[],
): readonly (string | undefined)[] =>
  items.map(({ metadata }) => metadata.name).filter((name) => !name?.startsWith("kube-root"));
