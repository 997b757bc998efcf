import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { messageOf } from "@orch/status/message-of.js";
import { createClient } from "./http/http.js";
import { createReflector, type ReflectorOptions } from "./reflector.js";
import { testCertificate } from "./testing/test-certificate.js";
import { startWireServer } from "./testing/wire-server.js";

const collection = { group: "", version: "v1", resource: "configmaps", namespace: "obs" };

async function setup(t: TestContext, more: Partial<ReflectorOptions> = {}) {
  const server = await startWireServer();
  const client = createClient({
    server: server.url,
    namespace: "default",
    ca: testCertificate,
    insecureSkipTlsVerify: false,
  });
  const events: string[] = [];
  const errors: string[] = [];
  let wake = (): void => {};
  const say = (event: string): void => {
    events.push(event);
    wake();
  };
  const reflector = createReflector({
    client,
    collection,
    // Delays are real but short: nothing here asserts how long they are.
    clock: {
      monotonic: () => performance.now(),
      after(ms, run) {
        const timer = setTimeout(run, ms / 50);
        return () => clearTimeout(timer);
      },
    },
    random: () => 0.5,
    handlers: {
      added: (o) => say(`+${o.metadata.name}`),
      modified: (o, before) =>
        say(`~${o.metadata.name}:${before.metadata.resourceVersion}>${o.metadata.resourceVersion}`),
      deleted: (o) => say(`-${o.metadata.name}`),
    },
    onError: (error) => errors.push(messageOf(error)),
    ...more,
  });
  const abort = new AbortController();
  const ended = reflector.run(abort.signal);
  t.after(async () => {
    abort.abort();
    await ended;
    await client.close();
    await server.close();
  });
  const seen = async (count: number): Promise<readonly string[]> => {
    while (events.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return events.splice(0);
  };
  const lists = (): number => server.requests.filter((r) => !r.includes("watch=true")).length;
  return { server, reflector, seen, errors, lists, stop: () => abort.abort(), ended };
}

test("the store follows the collection from the list on", async (t) => {
  const { server, reflector, seen, stop, ended } = await setup(t, { pageSize: 2 });
  await reflector.synced;
  await server.watched();
  for (const name of ["a", "b", "c"]) server.put(name, "1");
  server.put("b", "2");
  server.remove("a");
  assert.deepEqual(await seen(5), ["+a", "+b", "+c", "~b:102>104", "-a"]);
  assert.deepEqual([...reflector.store.keys()], ["obs/b", "obs/c"]);
  assert.equal(reflector.lastVersion(), "105");
  stop();
  await ended;
});

test("a watch that ends or is cut resumes from the last version and repeats nothing", async (t) => {
  const { server, reflector, seen, lists } = await setup(t);
  await reflector.synced;
  for (const how of ["ended", "cut", "cut", "ended"] as const) {
    await server.watched();
    server.put(how, "1");
    await seen(1);
    server.endWatches(how);
    server.put("between", how);
    await seen(1);
  }
  assert.equal(lists(), 1);
  assert.equal(reflector.store.size, 3);
});

test("a bookmark moves the version on", async (t) => {
  const { server, reflector, seen, lists } = await setup(t);
  await reflector.synced;
  await server.watched();
  server.compact();
  server.bookmark();
  while (reflector.lastVersion() !== "101") await new Promise((resolve) => setImmediate(resolve));
  server.endWatches("cut");
  server.put("a", "1");
  assert.deepEqual(await seen(1), ["+a"]);
  assert.equal(lists(), 1);
});

test("a version that is kept no more leads to a new list that tells the differences", async (t) => {
  const { server, reflector, seen, lists, errors } = await setup(t);
  await reflector.synced;
  await server.watched();
  for (const name of ["a", "b", "c"]) server.put(name, "1");
  await seen(3);
  server.next((_req, res) => res.writeHead(503).end());
  server.endWatches("cut");
  server.remove("a");
  server.put("b", "2");
  server.put("d", "1");
  server.compact();
  assert.deepEqual(await seen(3), ["-a", "~b:102>105", "+d"]);
  assert.equal(lists(), 2);
  assert.ok(errors.some((e) => e.includes("too old resource version")));
  await server.watched();
  server.put("e", "1");
  assert.deepEqual(await seen(1), ["+e"]);
});

test("failures of the list are tried again until the signal aborts", async () => {
  const server = await startWireServer();
  const url = server.url;
  await server.close();
  const client = createClient({ server: url, namespace: "default", insecureSkipTlsVerify: true });
  const abort = new AbortController();
  let failures = 0;
  const reflector = createReflector({
    client,
    collection,
    clock: {
      monotonic: () => 0,
      after(_ms, run) {
        setImmediate(run);
        return () => {};
      },
    },
    random: () => 0,
    onError() {
      if (++failures === 5) abort.abort();
    },
  });
  await reflector.run(abort.signal);
  assert.equal(failures, 5);
  assert.equal(reflector.lastVersion(), "");
  await client.close();
});

test("a handler that throws is told of and harms nothing else", async (t) => {
  const { server, reflector, errors } = await setup(t, {
    handlers: {
      added() {
        throw new Error("bad handler");
      },
    },
  });
  await reflector.synced;
  await server.watched();
  server.put("a", "1");
  while (errors.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(errors, ["bad handler"]);
  assert.ok(reflector.store.has("obs/a"));
});

test("the store keeps what it is told to, handlers are given new states whole", async (t) => {
  const given: string[] = [];
  const { server, reflector } = await setup(t, {
    accept: { list: "application/json;as=List", object: "application/json;as=One" },
    keep: ({ metadata: { name = "", uid = "", resourceVersion = "", namespace = "" } }) => ({
      metadata: { name, uid, resourceVersion, namespace },
    }),
    handlers: {
      added: (object) => given.push(`+${JSON.stringify(object["data"])}`),
      modified: (object, before) => given.push(`~${JSON.stringify([before["data"], object["data"]])}`),
      deleted: (object) => given.push(`-${object.metadata.name} ${JSON.stringify(object["data"])}`),
    },
  });
  await reflector.synced;
  await server.watched();
  assert.equal(server.lastHeaders()["accept"], "application/json;as=One");
  server.put("a", "1");
  server.put("a", "2");
  server.remove("a");
  server.put("b", "1");
  while (given.length < 4) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(given, ['+{"value":"1"}', '~[null,{"value":"2"}]', '-a {"value":"2"}', '+{"value":"1"}']);
  assert.deepEqual(
    [...reflector.store.values()],
    [{ metadata: { name: "b", uid: "u-b", resourceVersion: reflector.lastVersion(), namespace: "obs" } }],
  );
});
