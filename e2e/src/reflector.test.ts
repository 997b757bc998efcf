import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Client } from "@orch/client/http/http.js";
import { listAll } from "@orch/client/list-all.js";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { createReflector } from "@orch/client/reflector.js";
import { ApiError } from "@orch/status/api-error.js";
import { clientOf, clock } from "./harness/clients.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const lanes = 8;
const writesPerLane = 500;
const names = 40;

let target: StandaloneTarget;
before(async () => {
  // Watches that end often: the mirrors have to resume all the time.
  target = await startStandalone({ dialect: "orch", args: ["--secure-port=0", "--min-request-timeout=200ms"] });
});
after(() => target.stop());

const maps = { group: "", version: "v1", resource: "configmaps", namespace: "default" };

test("mirrors follow thousands of writes over watches that end every moment, and are the list at the end", async () => {
  const client = await clientOf(target);
  const abort = new AbortController();
  const errors: unknown[] = [];
  const kinds = [
    {},
    { pageSize: 7 },
    { pageSize: 0 },
    { labelSelector: "even=true" },
    { fieldSelector: "metadata.name=cm-3" },
  ];
  const mirrors = kinds.map((options) => {
    const record = handlers();
    const reflector = createReflector({
      ...{ client, collection: maps, clock, random: Math.random },
      ...options,
      handlers: record.handlers,
      onError: (error) => void errors.push(error),
    });
    return { options, record, reflector, run: reflector.run(abort.signal) };
  });
  const [first] = mirrors;
  await first?.reflector.synced;
  await Promise.all(Array.from({ length: lanes }, (_, id) => churn(id)));
  for (const { options, record, reflector } of mirrors) {
    const { pageSize: _size, ...selectors } = { pageSize: 0, ...options };
    const list = await listAll(client, maps, selectors);
    const expected = list.items.map(identity).sort();
    await until(`the mirror of ${JSON.stringify(options)} is the list`, () =>
      [...reflector.store.values()].map(identity).sort().join() === expected.join() ? true : undefined,
    );
    assert.deepEqual([...record.seen.values()].map(identity).sort(), expected, "what the handlers were told");
    assert.deepEqual(record.faults, []);
  }
  abort.abort();
  await Promise.all(mirrors.map((m) => m.run));
  await client.close();
  assert.deepEqual(errors, []);
});

/** Creates, changes and deletes objects of a few names that all lanes share. */
async function churn(id: number): Promise<void> {
  const client = await clientOf(target);
  for (let i = 0; i < writesPerLane; i++) {
    const name = `cm-${(i * 7 + id * 3) % names}`;
    const metadata = { name, labels: { even: String((i + id) % 2 === 0) } };
    await oneOf(client, i + id, { metadata, data: { by: `${id}-${i}` } });
  }
  await client.close();
}

async function oneOf(client: Client, i: number, object: ApiObject): Promise<void> {
  try {
    if (i % 5 === 4) await client.delete(maps, object.metadata.name ?? "");
    else if (i % 5 === 0) await client.create(maps, object);
    else await client.update(maps, object);
  } catch (error) {
    // Others have the name, or nobody has: that is what sharing means.
    if (error instanceof ApiError && (error.reason === "AlreadyExists" || error.reason === "NotFound")) return;
    throw error;
  }
}

/** Handlers that keep a mirror of their own and note whatever they could not be told in this order. */
function handlers() {
  const seen = new Map<string, ApiObject>();
  const faults: string[] = [];
  const check = (ok: boolean, what: string, object: ApiObject): void => {
    if (!ok) faults.push(`${what} ${identity(object)} while there is ${identity(seen.get(keyOf(object)))}`);
  };
  return {
    seen,
    faults,
    handlers: {
      added(object: ApiObject) {
        check(!seen.has(keyOf(object)), "added", object);
        seen.set(keyOf(object), object);
      },
      modified(object: ApiObject, old: ApiObject) {
        check(identity(seen.get(keyOf(object))) === identity(old), "modified", object);
        check(Number(object.metadata.resourceVersion) > Number(old.metadata.resourceVersion), "modified", object);
        seen.set(keyOf(object), object);
      },
      deleted(object: ApiObject) {
        check(seen.delete(keyOf(object)), "deleted", object);
      },
    },
  };
}

const identity = (object: ApiObject | undefined): string =>
  object === undefined ? "nothing" : `${keyOf(object)}@${object.metadata.resourceVersion}`;
