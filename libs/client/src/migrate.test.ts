import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Client, ListOptions } from "./client.js";
import { migrateCollection } from "./migrate.js";
import type { ApiObject, Collection } from "./objects.js";

const naming = createNaming("orch");
const secrets: Collection = { group: "", version: "v1", resource: "secrets" };

/** A server with so many secrets, of which those with an even number are stored as they would not be now. */
function server(count: number, failures: Readonly<Record<string, ApiError>> = {}) {
  const versions = new Map<string, number>(Array.from({ length: count }, (_, i) => [`s${i}`, 1] as const));
  const lists: (string | undefined)[] = [];
  const patched: string[] = [];
  let expired = false;
  const client: Pick<Client, "list" | "patch"> = {
    async list(_collection, options: ListOptions = {}) {
      lists.push(options.continue);
      if (options.continue === "old" || expired) {
        expired = false;
        throw new ApiError("Expired", "too old", { metadata: { continue: "4" } });
      }
      const from = Number(options.continue ?? 0);
      const to = Math.min(count, from + (options.limit ?? count));
      const items = [...versions].slice(from, to).map(
        ([name, version]): ApiObject => ({
          metadata: { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: String(version) },
        }),
      );
      return { items, resourceVersion: "1", continue: to < count ? String(to) : "", remainingItemCount: count - to };
    },
    async patch(collection, name, { type, body }) {
      assert.deepEqual(collection, { ...secrets, namespace: "ns" });
      assert.equal(type, "application/merge-patch+json");
      assert.deepEqual(body, { metadata: { uid: `uid-${name}`, resourceVersion: String(versions.get(name)) } });
      const failure = failures[name];
      if (failure !== undefined) throw failure;
      patched.push(name);
      const isStale = Number(name.slice(1)) % 2 === 0;
      return { metadata: { name, resourceVersion: isStale ? "2" : "1" } };
    },
  };
  return {
    client,
    lists,
    patched,
    expireNext: () => {
      expired = true;
    },
  };
}

test("every object is patched with nothing, page by page, and those that were written anew are counted", async () => {
  const { client, lists, patched } = server(10);
  const pages: string[] = [];
  const done = await migrateCollection(client, secrets, {
    ...{ naming, pageSize: 4 },
    onPage: ({ next, done: { objects }, left }) => void pages.push(`${next} ${objects} ${left}`),
  });
  assert.deepEqual(done, { objects: 10, rewritten: 5 });
  assert.deepEqual(lists, [undefined, "4", "8"]);
  assert.equal(new Set(patched).size, 10);
  assert.deepEqual(pages, ["4 4 6", "8 8 2", " 10 0"]);
});

test("a run goes on where another one stopped, and with the newest state where that one's is gone", async () => {
  const first = server(10);
  await migrateCollection(first.client, secrets, { naming, pageSize: 4, from: "8" });
  assert.deepEqual(first.patched.sort(), ["s8", "s9"]);
  const second = server(10);
  await migrateCollection(second.client, secrets, { naming, pageSize: 4, from: "old" });
  assert.deepEqual(second.lists, ["old", "4", "8"]);
});

test("what changed or went meanwhile is done; anything else ends the run", async () => {
  const gone = { s1: new ApiError("NotFound", "gone"), s2: new ApiError("Conflict", "changed") };
  const { client } = server(4, gone);
  assert.deepEqual(await migrateCollection(client, secrets, { naming }), { objects: 4, rewritten: 1 });
  const refused = server(4, { s3: new ApiError("Forbidden", "not you") });
  await assert.rejects(migrateCollection(refused.client, secrets, { naming }), /not you/);
});
