import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@orch/status/api-error.js";
import { openEtcdStore } from "./etcd-store.js";
import type { Revision } from "./revision.js";
import { makeCertificates } from "./testing/certificates.js";
import { drive, follow, revisionOf } from "./testing/drive.js";
import { etcdMissing, startEtcd } from "./testing/etcd-server.js";

const unavailable = (error: unknown): boolean => error instanceof ApiError && error.reason === "ServiceUnavailable";

describe("the etcd store and its cluster", { skip: etcdMissing() ?? false }, () => {
  test("speaks TLS with a client certificate, and not with a server it does not trust", async () => {
    const certificates = makeCertificates();
    const server = await startEtcd({ tls: certificates.server });
    const other = makeCertificates();
    const options = { endpoints: server.endpoints, prefix: "/tls/" };
    const store = await openEtcdStore({ ...options, tls: certificates.client });
    const untrusting = await openEtcdStore({ ...options, tls: other.client, times: { totalMs: 500 } });
    try {
      const d = drive(store, "/tls/");
      const first = await d.put("a", 0, "1");
      assert.equal((await follow(store, { prefix: d.prefix, from: first, count: 1 })).length, 1);
      await assert.rejects(untrusting.get(d.key("a")), unavailable);
    } finally {
      await Promise.all([store.close(), untrusting.close()]);
      await server.stop();
      await rm(certificates.directory, { recursive: true });
      await rm(other.directory, { recursive: true });
    }
  });

  test("makes a new connection with the certificate of that moment", async () => {
    const certificates = makeCertificates();
    const other = makeCertificates();
    const server = await startEtcd({ tls: certificates.server });
    let now = other.client;
    const options = { endpoints: server.endpoints, prefix: "/tls/", times: { totalMs: 500 } };
    const store = await openEtcdStore({ ...options, tls: () => now });
    try {
      const d = drive(store, "/tls/");
      await assert.rejects(store.get(d.key("a")), unavailable);
      now = certificates.client;
      const first = await d.put("a", 0, "1");
      now = other.client;
      assert.equal((await store.get(d.key("a")))?.revision, first, "the connection that is there goes on");
    } finally {
      await store.close();
      await server.stop();
      for (const { directory } of [certificates, other]) await rm(directory, { recursive: true });
    }
  });

  test("logs in with user and password, and again when its token is forgotten", async () => {
    const server = await startEtcd({ args: ["--auth-token-ttl", "1"] });
    const [endpoint = ""] = server.endpoints;
    await enableAuth(endpoint, "root", "secret");
    const options = { endpoints: server.endpoints, prefix: "/auth/" };
    const store = await openEtcdStore({ ...options, auth: { username: "root", password: "secret" } });
    const wrong = await openEtcdStore({
      ...options,
      auth: { username: "root", password: "guess" },
      times: { totalMs: 500 },
    });
    const anonymous = await openEtcdStore({ ...options, times: { totalMs: 500 } });
    try {
      const d = drive(store, "/auth/");
      const first = await d.put("a", 0, "1");
      await assert.rejects(wrong.get(d.key("a")), unavailable);
      await assert.rejects(drive(anonymous, "/auth/").put("b", 0, "1"), unavailable);
      const following = follow(store, { prefix: d.prefix, from: first, count: 3 });
      // A restart forgets every token: writes, reads and the running watch have to log in anew.
      await server.members[0]?.kill();
      await server.members[0]?.restart();
      const second = await d.put("a", first, "2");
      const third = await d.put("a", second, "3");
      assert.equal(await d.list(), "a=3");
      assert.deepEqual((await following).map(revisionOf), [first, second, third]);
    } finally {
      await Promise.all([store.close(), wrong.close(), anonymous.close()]);
      await server.stop();
    }
  });

  test("loses and doubles nothing when the leader of three members is killed under load", async () => {
    const server = await startEtcd({ members: 3 });
    const store = await openEtcdStore({ endpoints: server.endpoints, prefix: "/three/" });
    const d = drive(store, "/three/");
    const writing = new AbortController();
    const watching = new AbortController();
    const acknowledged = new Map<string, Revision>();
    const seen: [name: string, revision: Revision][] = [];

    const worker = async (id: number): Promise<void> => {
      for (let i = 0; !writing.signal.aborted; i++) {
        const name = `w${id}/${i}`;
        try {
          acknowledged.set(name, await d.put(name, 0, `${name} of its own`));
        } catch (error) {
          // A refusal would be an AssertionError: nobody else creates this key, it would be a conflict with itself.
          assert.ok(error instanceof ApiError, String(error));
        }
      }
    };
    const follower = async (from: Revision): Promise<void> => {
      for await (const item of store.watch({ prefix: d.prefix, from, signal: watching.signal })) {
        if (item.type !== "events") continue;
        for (const event of item.events) {
          assert.ok(event.type === "put");
          seen.push([event.entry.key.slice(d.prefix.length), event.entry.revision]);
        }
      }
    };
    const until = async (what: string, condition: () => boolean): Promise<void> => {
      for (let tries = 0; !condition(); tries++) {
        assert.ok(tries < 1500, `${what} took more than 30 s`);
        await delay(20);
      }
    };

    try {
      const first = await d.put("first", 0, "x");
      const following = follower(first);
      const workers = Array.from({ length: 8 }, (_, id) => worker(id));
      await delay(500);
      const leader = await server.leader();
      await server.members[leader]?.kill();
      const before = acknowledged.size;
      await until("writing after the leader's death", () => acknowledged.size >= before + 200);
      await server.members[leader]?.restart();
      writing.abort();
      await Promise.all(workers);
      const last = await d.put("last", 0, "x");
      await until("the last event", () => seen.at(-1)?.[1] === last);
      watching.abort();
      await following;

      const { entries } = await store.range({ prefix: d.prefix });
      const stored = new Map(entries.map((entry) => [entry.key.slice(d.prefix.length), entry.revision]));
      for (const [name, revision] of acknowledged) assert.equal(stored.get(name), revision, name);
      // Keys are only created, so the events are the stored keys, each once, in the order of their revisions.
      assert.deepEqual(
        seen,
        [...stored].sort(([, a], [, b]) => a - b),
      );
    } finally {
      writing.abort();
      watching.abort();
      await store.close();
      await server.stop();
    }
  });
});

/** Turns etcd's authentication on through its JSON gateway. */
async function enableAuth(endpoint: string, name: string, password: string): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${endpoint}/v3/auth/${path}`, { method: "POST", body: JSON.stringify(body) });
    assert.equal(response.status, 200, await response.text());
  };
  await post("user/add", { name, password });
  await post("role/add", { name: "root" });
  await post("user/grant", { user: name, role: "root" });
  await post("enable", {});
}
