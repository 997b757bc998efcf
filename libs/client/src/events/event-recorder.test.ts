import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, notFound } from "@orch/status/api-error.js";
import type { ApiObject } from "../objects.js";
import { createEventRecorder } from "./event-recorder.js";

const about = { metadata: { name: "web", namespace: "ns", uid: "u" } };
const kind = { apiVersion: "apps/v1", kind: "ReplicaSet" };

/** A server on which each write takes a while, and what it has in the end. */
function slowServer() {
  const stored = new Map<string, ApiObject & { count?: number }>();
  const writes: string[] = [];
  const slowly = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ...{ stored, writes },
    client: {
      async create(_events: unknown, object: ApiObject) {
        const { name = "" } = object.metadata;
        await slowly();
        writes.push("create");
        if (stored.has(name)) throw new ApiError("AlreadyExists", `events "${name}" already exists`);
        stored.set(name, object);
        return object;
      },
      async patch(_events: unknown, name: string, { body }: { readonly body: unknown }) {
        await slowly();
        writes.push("patch");
        const before = stored.get(name);
        if (before === undefined) throw notFound({ group: "", resource: "events" }, name);
        const after = { ...before, ...Object(body) };
        stored.set(name, after);
        return after;
      },
    },
  };
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
};

test("what is told again while it is being stored is counted, with one write for all that came meanwhile", async () => {
  const { client, stored, writes } = slowServer();
  const errors: unknown[] = [];
  const recorder = createEventRecorder({
    ...{ client, component: "test", now: () => 0, random: () => 0 },
    onError: (error) => void errors.push(error),
  });
  for (let i = 0; i < 20; i++) recorder.tell({ about, kind, type: "Normal", reason: "Made", message: "the same" });
  await settled();
  assert.deepEqual(errors, []);
  assert.deepEqual(
    [...stored.values()].map(({ count }) => count),
    [20],
  );
  assert.deepEqual(writes, ["create", "patch"]);
});

test("one that is gone is stored anew, with its count", async () => {
  const onError = (error: unknown): never => assert.fail(String(error));
  const { client, stored, writes } = slowServer();
  const recorder = createEventRecorder({
    client,
    component: "test",
    now: () => 0,
    random: () => 0,
    onError,
  });
  const tell = (): void => recorder.tell({ about, kind, type: "Normal", reason: "Made", message: "the same" });
  tell();
  await settled();
  stored.clear();
  tell();
  await settled();
  assert.deepEqual(
    [...stored.values()].map(({ count }) => count),
    [2],
  );
  assert.deepEqual(writes, ["create", "patch", "create"]);
});
