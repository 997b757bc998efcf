import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ApiResource } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http/http.js";
import { metadataOnly } from "@orch/client/metadata-only.js";
import { createMirror } from "@orch/client/mirror.js";
import { createNaming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/runtime/clock.js";
import { createWatchedServer } from "../testing/watched-server.js";
import { createMonitors } from "./monitors.js";

const resourceOf = (resource: string, kind: string): ApiResource => ({
  ...{ group: "example.com", version: "v1", resource, kind },
  ...{ namespaced: true, verbs: ["delete", "list", "watch"] },
});
const [webs, rows] = [resourceOf("webs", "Web"), resourceOf("rows", "Row")];

function setup(t: TestContext) {
  const server = createWatchedServer();
  const naming = createNaming("orch");
  const accept = metadataOnly(naming);
  const client: Pick<Client, "list" | "stream"> = {
    list(collection, options) {
      assert.equal(options?.accept, accept.list);
      return server.client.list(collection, options);
    },
    stream(request) {
      assert.equal(request.headers?.["accept"], accept.object);
      return server.client.stream(request);
    },
  };
  const abort = new AbortController();
  const seen: string[] = [];
  const monitors = createMonitors({
    mirror: createMirror({ client, naming, clock: systemClock, random: () => 0 }),
    changes: {
      seen: ({ apiVersion, kind }, { metadata }) => seen.push(`${apiVersion} ${kind} ${metadata.uid}`),
      gone: ({ kind }, { metadata }) => seen.push(`gone ${kind} ${metadata.uid}`),
    },
    onError: (error, { resource }) => seen.push(`${resource}: ${String(error)}`),
  });
  t.after(async () => {
    abort.abort();
    await monitors.ended();
  });
  const settled = async (resource: string, watches: number): Promise<void> => {
    while (server.watches(resource) !== watches) await new Promise((resolve) => setImmediate(resolve));
  };
  const next = async (count: number): Promise<readonly string[]> => {
    while (seen.length < count) await new Promise((resolve) => setImmediate(resolve));
    return seen.splice(0).sort();
  };
  const put = (resource: string, name: string): void =>
    server.put(resource, { metadata: { name, namespace: "ns", uid: name } });
  return { ...server, put, settled, next, monitors, follow: (...r: ApiResource[]) => monitors.follow(r, abort.signal) };
}

test("each resource is listed and watched, and all changes carry the kind's name", async (t) => {
  const { put, remove, follow, monitors, settled, next } = setup(t);
  put("webs", "a");
  put("rows", "b");
  follow(webs, rows);
  await monitors.synced();
  assert.deepEqual(await next(2), ["example.com/v1 Row b", "example.com/v1 Web a"]);
  await settled("webs", 1);
  put("webs", "c");
  remove("webs", "a");
  assert.deepEqual(await next(2), ["example.com/v1 Web c", "gone Web a"]);
});

test("what is not served for a while keeps its objects, and tells what it missed when it is back", async (t) => {
  const { put, remove, follow, monitors, settled, next } = setup(t);
  for (const name of ["stays", "goes"]) put("rows", name);
  follow(webs, rows);
  await monitors.synced();
  await next(2);
  await settled("rows", 1);
  follow(webs);
  await settled("rows", 0);
  remove("rows", "goes");
  put("rows", "comes");
  put("webs", "a");
  assert.deepEqual(await next(1), ["example.com/v1 Web a"]);
  follow(webs, rows);
  assert.deepEqual(await next(2), ["example.com/v1 Row comes", "gone Row goes"]);
});
