import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { Chunk, ListRequest, WatchRequest } from "@orch/rpc/messages.js";
import type { Caller } from "@orch/rpc/rpc.js";
import type { ApiError } from "@orch/status/api-error.js";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import { key, noRevision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { watchCacheDefaults } from "../config.js";
import { noDefinitions } from "../definitions.js";
import type { MirrorOptions } from "../mirror/mirror.js";
import { createWatchCache, serveReads } from "../service.js";
import { noWebhook } from "./no-webhook.js";

export const naming = createNaming("orch");
const maps = { group: "", version: "v1", resource: "configmaps", namespace: "a", labelSelector: "", fieldSelector: "" };
const unset = { resourceVersion: "", resourceVersionMatch: "", form: "" };
export const listAll: ListRequest = { ...maps, ...unset, limit: 0, continueToken: "", gzip: false };
export const watchAll: WatchRequest = { ...maps, ...unset, name: "", allowBookmarks: false, timeoutMs: 0 };

/** Cleans up after a test, what was started last first. */
const cleanups = new WeakMap<TestContext, (() => Promise<void>)[]>();
function defer(t: TestContext, cleanup: () => Promise<void>): void {
  const known = cleanups.get(t);
  if (known !== undefined) {
    known.push(cleanup);
    return;
  }
  const all = [cleanup];
  cleanups.set(t, all);
  t.after(async () => {
    for (const run of all.reverse()) await run();
  });
}

export async function openStore(t: TestContext): Promise<Store> {
  const path = await mkdtemp(join(tmpdir(), "orch-watch-cache-"));
  const store = await openEmbeddedStore({ path, prefix: naming.storePrefix });
  defer(t, async () => {
    await store.close();
    await rm(path, { recursive: true, force: true });
  });
  return store;
}

export async function put(store: Store, name: string, bytes: number): Promise<void> {
  const object = {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name, namespace: "a" },
    data: { k: "x".repeat(bytes) },
  };
  const at = key(`${naming.storePrefix}configmaps/a/${name}`);
  const current = await store.get(at);
  const swap = await store.swap({
    key: at,
    expected: current?.revision ?? noRevision,
    value: Buffer.from(JSON.stringify(object)),
  });
  assert.ok(swap.done);
}

/** Of a mirror that shows nothing. */
export const noKinds: Pick<MirrorOptions, "readables" | "definitions"> = {
  readables: { place: () => undefined, refreshed: (_at, objects) => objects, isKnown: () => true },
  definitions: noDefinitions,
};

export function startCache(
  t: TestContext,
  store: Store,
  overrides: Partial<typeof watchCacheDefaults> = {},
  log = (what: string, error: unknown): void => assert.fail(`${what}: ${String(error)}`),
): Caller {
  const transport = createInProcess();
  const cache = createWatchCache(
    { ...watchCacheDefaults, ...overrides },
    {
      store,
      naming,
      catalog: createLiveCatalog(loadCatalog(naming)),
      callConversion: noWebhook,
      log,
      now: () => performance.now(),
      wallClock: Date.now,
      stamp: Date.now,
    },
  );
  serveReads(transport.services, cache);
  defer(t, () => cache.stop());
  void cache.start();
  return transport.caller;
}

/** A receiver that can be looked into. */
export function receiver() {
  const chunks: string[] = [];
  let bytes = 0;
  let over: (error: ApiError | undefined) => void = () => {};
  const ended = new Promise<ApiError | undefined>((resolve) => {
    over = resolve;
  });
  return {
    chunks,
    ended,
    bytes: () => bytes,
    message({ body }: Chunk) {
      bytes += body.length;
      chunks.push(body.toString());
    },
    end: (error?: ApiError) => over(error),
  };
}

export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!holds()) {
    assert.ok(performance.now() < deadline, `never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
