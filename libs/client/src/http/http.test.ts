import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import type { ClientConfig } from "../config.js";
import { listAll } from "../list-all.js";
import { type ApiObject, pathOf } from "../objects.js";
import { wiredClient } from "../testing/wired-client.js";
import { watch } from "../watch.js";
import { createClient } from "./http.js";

const configmaps = { group: "", version: "v1", resource: "configmaps", namespace: "obs" };
const configMap = (name: string, value = "1"): ApiObject => ({ metadata: { name }, data: { value } });

const setup = (t: TestContext, config: Partial<ClientConfig> = {}) => wiredClient(t, { token: "t0ken", ...config });

async function rejection(promise: Promise<unknown>): Promise<ApiError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "did not reject" });
}

test("paths name groups, scopes, objects and subresources", () => {
  assert.equal(pathOf(configmaps, "a/b", "status"), "/api/v1/namespaces/obs/configmaps/a%2Fb/status");
  assert.equal(pathOf({ group: "apps", version: "v1", resource: "deployments" }), "/apis/apps/v1/deployments");
});

test("objects are created, read, replaced, patched and deleted", async (t) => {
  const { server, client } = await setup(t);
  const created = await client.create(configmaps, configMap("a"), { fieldManager: "me", dryRun: true });
  assert.equal(created.metadata.uid, "u-a");
  assert.deepEqual(await client.get(configmaps, "a", { resourceVersion: "0" }), created);
  await client.update(configmaps, configMap("a", "2"));
  await client.patch(configmaps, "a", { type: "application/merge-patch+json", body: { data: {} } });
  assert.equal(server.lastHeaders()["content-type"], "application/merge-patch+json");
  assert.equal(server.lastHeaders()["authorization"], "Bearer t0ken");
  await client.delete(configmaps, "a", { preconditions: { uid: "u-a" } });
  await client.deleteCollection(configmaps, { labelSelector: "a=b" });
  const root = "/api/v1/namespaces/obs/configmaps";
  assert.deepEqual(server.requests, [
    `POST ${root}?dryRun=All&fieldManager=me`,
    `GET ${root}/a?resourceVersion=0`,
    `PUT ${root}/a`,
    `PATCH ${root}/a`,
    `DELETE ${root}/a`,
    `DELETE ${root}?labelSelector=a%3Db`,
  ]);
});

test("a Status becomes the error it stands for, another text an error by its code", async (t) => {
  const { server, client } = await setup(t);
  const missing = await rejection(client.get(configmaps, "zzz"));
  assert.deepEqual([missing.reason, missing.code, missing.message], ["NotFound", 404, 'configmaps "zzz" not found']);
  const page = await rejection(client.raw({ method: "GET", path: "/nowhere" }));
  assert.deepEqual([page.reason, page.code, page.message], ["NotFound", 404, "404 page not found"]);
  server.next((_req, res) => res.writeHead(502).end());
  const proxy = await rejection(client.get(configmaps, "a"));
  assert.deepEqual([proxy.reason, proxy.code, proxy.message], ["InternalError", 502, "the server answered 502"]);
  server.next((_req, res) => res.end("<html>"));
  assert.match((await rejection(client.get(configmaps, "a"))).message, /no JSON/);
  server.next((_req, res) => res.end("[]"));
  assert.match((await rejection(client.get(configmaps, "a"))).message, /no object/);
  server.next((_req, res) => res.end("{}"));
  assert.match((await rejection(client.list(configmaps))).message, /no list/);
});

test("a broken connection says whether a write may have been executed", async (t) => {
  const { server, client } = await setup(t);
  server.next((req) => req.socket.destroy());
  assert.equal((await rejection(client.get(configmaps, "a"))).reason, "ServiceUnavailable");
  server.next((req) => req.socket.destroy());
  assert.equal((await rejection(client.create(configmaps, configMap("a")))).reason, "Timeout");
  const nobody = createClient({ server: "https://127.0.0.1:1", namespace: "default", insecureSkipTlsVerify: true });
  t.after(() => nobody.close());
  assert.equal((await rejection(nobody.create(configmaps, configMap("a")))).reason, "ServiceUnavailable");
});

test("a certificate that is not trusted is refused unless that was asked for", async (t) => {
  const { server } = await setup(t);
  const config = { server: server.url, namespace: "default" };
  const careful = createClient({ ...config, insecureSkipTlsVerify: false });
  const careless = createClient({ ...config, insecureSkipTlsVerify: true });
  t.after(() => Promise.all([careful.close(), careless.close()]));
  assert.match(
    (await rejection(careful.create(configmaps, configMap("a")))).message,
    /can not be reached: .*self-signed/,
  );
  assert.equal((await careless.list(configmaps)).items.length, 0);
});

test("an aborted request throws its signal's reason", async (t) => {
  const { server, client } = await setup(t);
  const abort = new AbortController();
  server.next(() => abort.abort(new Error("enough")));
  await assert.rejects(client.get(configmaps, "a", { signal: abort.signal }), /enough/);
});

test("long lists come page by page, and in one piece when a token has expired", async (t) => {
  const { server, client } = await setup(t);
  for (let i = 0; i < 7; i++) server.put(`cm-${i}`, "1");
  const names = (list: { readonly items: readonly ApiObject[] }) => list.items.map((o) => o.metadata.name).join(" ");
  const all = "cm-0 cm-1 cm-2 cm-3 cm-4 cm-5 cm-6";
  const first = await client.list(configmaps, { limit: 3 });
  assert.deepEqual([names(first), first.continue, first.remainingItemCount], ["cm-0 cm-1 cm-2", "3@107", 4]);
  assert.equal(names(await listAll(client, configmaps, { pageSize: 3 })), all);
  assert.equal(server.requests.length, 4);
  server.next((_req, res) => {
    server.compact();
    res.end(JSON.stringify({ metadata: { resourceVersion: "107", continue: "3@107" }, items: first.items }));
  });
  const anew = await listAll(client, configmaps, { pageSize: 3 });
  assert.deepEqual([names(anew), anew.resourceVersion], [all, "108"]);
});

test("a watch gives events and bookmarks until the server ends it", async (t) => {
  const { server, client } = await setup(t);
  server.put("a", "1");
  const seen: string[] = [];
  for await (const { type, object } of watch(client, configmaps, { resourceVersion: "100" })) {
    seen.push(`${type} ${object.metadata.name ?? ""}@${object.metadata.resourceVersion}`);
    if (seen.length === 1) {
      server.put("a", "é".repeat(100_000));
      server.remove("a");
      server.bookmark();
      server.endWatches("ended");
    }
  }
  assert.deepEqual(seen, ["ADDED a@101", "MODIFIED a@102", "DELETED a@103", "BOOKMARK @103"]);
  assert.match(server.requests[0] ?? "", /\?resourceVersion=100&watch=true&allowWatchBookmarks=true$/);
});

test("a watch throws for ERROR events, cut connections, half events and nonsense", async (t) => {
  const { server, client } = await setup(t);
  const end = async (act: () => void, version = "100"): Promise<ApiError> => {
    const drained = (async () => {
      for await (const _ of watch(client, configmaps, { resourceVersion: version })) assert.ok(_);
    })();
    const failed = rejection(drained);
    if (act !== nothing) await server.watched();
    act();
    return await failed;
  };
  const nothing = (): void => {};
  const tooOld = await end(nothing, "5");
  assert.deepEqual([tooOld.reason, tooOld.code], ["Expired", 410]);
  assert.equal((await end(() => server.endWatches("cut"))).reason, "ServiceUnavailable");
  const half = await end(() => {
    server.write('{"type":"ADD');
    server.endWatches("ended");
  });
  assert.match(half.message, /cut within an event/);
  assert.match(
    (await end(() => server.write('{"type":"WHAT","object":{"metadata":{}}}\n'))).message,
    /unknown form: type "WHAT"/,
  );
});

test("a watch that is left or aborted closes its connection", async (t) => {
  const { server, client } = await setup(t);
  server.put("a", "1");
  for await (const _ of watch(client, configmaps, { resourceVersion: "100" })) break;
  const abort = new AbortController();
  const drained = (async () => {
    for await (const _ of watch(client, configmaps, { resourceVersion: "101", signal: abort.signal })) assert.fail();
  })();
  await server.watched();
  abort.abort(new Error("enough"));
  await assert.rejects(drained, /enough/);
});

test("connections are kept, whatever is asked over them", async (t) => {
  const { server, client } = await setup(t);
  const ports = new Set<unknown>();
  for (const name of ["a", "b", "c", "d"]) {
    await client.create(configmaps, configMap(name));
    await client.delete(configmaps, name, { preconditions: { uid: `u-${name}` } });
    ports.add(server.lastPort());
    await client.deleteCollection(configmaps);
    ports.add(server.lastPort());
  }
  // The next request may begin before the connection of the last one is free again.
  assert.ok(ports.size <= 2, `${ports.size} connections`);
});
