import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ApiResource } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http.js";
import type { ApiObject } from "@orch/client/objects.js";
import { systemClock } from "@orch/runtime/clock.js";
import { createMonitors } from "./monitors.js";

const resourceOf = (resource: string, kind: string): ApiResource => ({
  ...{ group: "example.com", version: "v1", resource, kind },
  ...{ namespaced: true, verbs: ["delete", "list", "watch"] },
});
const [webs, rows] = [resourceOf("webs", "Web"), resourceOf("rows", "Row")];

/** Collections in memory whose watches are told of each change. */
function createServer() {
  const objects = new Map<string, Map<string, ApiObject>>();
  const watchers = new Map<string, Set<(line: string) => void>>();
  let version = 0;
  const of = (resource: string) => objects.get(resource) ?? new Map<string, ApiObject>();
  const history: { readonly resource: string; readonly version: number; readonly line: string }[] = [];
  const tell = (resource: string, type: string, object: ApiObject): void => {
    const line = `${JSON.stringify({ type, object })}\n`;
    history.push({ resource, version, line });
    for (const send of watchers.get(resource) ?? []) send(line);
  };
  const client: Pick<Client, "list" | "stream"> = {
    async list({ resource }, options) {
      assert.equal(options?.accept, "list");
      return { resourceVersion: String(version), continue: "", items: [...of(resource).values()] };
    },
    async stream({ path, headers, query, signal }) {
      assert.equal(headers?.["accept"], "object");
      const resource = path.slice(path.lastIndexOf("/") + 1);
      const from = Number(query?.["resourceVersion"]);
      const lines = history.filter((h) => h.resource === resource && h.version > from).map((h) => h.line);
      let wake = (): void => {};
      const send = (line: string): void => {
        lines.push(line);
        wake();
      };
      signal?.addEventListener("abort", () => wake());
      const known = watchers.get(resource) ?? new Set();
      watchers.set(resource, known.add(send));
      return {
        async *[Symbol.asyncIterator]() {
          while (signal?.aborted !== true) {
            for (const line of lines.splice(0)) yield Buffer.from(line);
            await new Promise<void>((resolve) => {
              wake = resolve;
              if (lines.length > 0) resolve();
            });
          }
        },
        destroy: () => known.delete(send),
      };
    },
  };
  return {
    client,
    watches: (resource: string): number => watchers.get(resource)?.size ?? 0,
    put(resource: string, name: string, uid = name): void {
      const object = { metadata: { name, namespace: "ns", uid, resourceVersion: String(++version) } };
      const type = of(resource).has(name) ? "MODIFIED" : "ADDED";
      objects.set(resource, of(resource).set(name, object));
      tell(resource, type, object);
    },
    remove(resource: string, name: string): void {
      const object = of(resource).get(name);
      if (object === undefined) return;
      of(resource).delete(name);
      const metadata = { ...object.metadata, resourceVersion: String(++version) };
      tell(resource, "DELETED", { ...object, metadata });
    },
  };
}

function setup(t: TestContext) {
  const server = createServer();
  const abort = new AbortController();
  const seen: string[] = [];
  const monitors = createMonitors({
    client: server.client,
    accept: { list: "list", object: "object" },
    clock: systemClock,
    random: () => 0,
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
  return { ...server, settled, next, monitors, follow: (...r: ApiResource[]) => monitors.follow(r, abort.signal) };
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
