import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Catalog, Kind } from "@orch/api/catalog.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { setDefaults, toHub } from "@orch/api/writes.js";
import { alwaysAllow } from "@orch/auth/fixed-authorizers.js";
import { readManifests } from "@orch/e2e/harness/manifest-files.js";
import type { Naming } from "@orch/naming/naming.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import { decode } from "@orch/schema/decode.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { Answered, FakeRequest } from "@orch/service-gateway/testing/fake-exchange.js";
import { testGateway } from "@orch/service-gateway/testing/gateway.js";
import { usualConfigurations } from "@orch/service-resource/admission/configurations.js";
import { usualTolerationSeconds } from "@orch/service-resource/admission/flags.js";
import { usuallyOff } from "@orch/service-resource/admission/plugin-names.js";
import { createResource } from "@orch/service-resource/service.js";
import { watchCacheDefaults } from "@orch/service-watch-cache/config.js";
import { createWatchCache, serveReads } from "@orch/service-watch-cache/service.js";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import { key, noRevision } from "@orch/store/revision.js";
import { cpuMilliseconds } from "./measure.js";

/** What the search asks. */
export interface Server {
  /** Milliseconds of CPU that the server has spent. */
  cpu(): number;
  ask(request: FakeRequest): Promise<Answered>;
  /** Stores an object past the rules that a client must keep, where it can be read as its kind at all. */
  plant(kind: Kind, object: JsonObject): Promise<boolean>;
  /** Removes what is stored, past finalizers and grace. */
  forget(kind: Kind, object: JsonObject): Promise<void>;
  /** What went wrong besides the answers. */
  readonly faults: readonly string[];
  stop(): Promise<void>;
}

/** Objects that other objects ask for are not there: these plugins would refuse before the work begins. */
const admission = {
  disabled: new Set([...usuallyOff, "ServiceAccount"]),
  tolerationSeconds: usualTolerationSeconds,
  configurations: usualConfigurations,
};
/** Less than a store takes. */
const mostStoredBytes = 1_500_000;
/** Longer than anything that is measured. */
const requestTimeoutMs = 3_600_000;

/** Every service in this process, without a network before it: what is counted is the server's own work. */
export async function startServer(naming: Naming, catalog: Catalog): Promise<Server> {
  const path = await mkdtemp(join(tmpdir(), "orch-growth-"));
  const store = await openEmbeddedStore({ path, prefix: naming.storePrefix });
  const faults: string[] = [];
  const log = (what: string, error: unknown): void => void faults.push(`${what}: ${String(error)}`);
  const { services, caller } = createInProcess();
  const live = createLiveCatalog(catalog);
  const callConversion = (): Promise<never> => Promise.reject(new TypeError("no webhook is asked here"));
  const webhooks = { call: callConversion };
  const shared = { store, naming, catalog: live, services, callConversion, webhooks, log };
  const cache = createWatchCache(watchCacheDefaults, {
    ...shared,
    now: () => performance.now(),
    wallClock: Date.now,
    stamp: Date.now,
  });
  serveReads(services, cache);
  let uid = 0;
  const resource = createResource(
    {
      groups: undefined,
      eventTtlMs: 3_600_000,
      cbor: true,
      allocation: { addresses: [{ address: [10, 0, 0, 0], bits: 16 }], nodePorts: { first: 30_000, last: 32_767 } },
      admission,
    },
    {
      ...shared,
      permissions: { authorizer: alwaysAllow, rules: alwaysAllow },
      now: Date.now,
      newUid: () => `uid-${++uid}`,
      random: Math.random,
    },
  );
  await cache.start();
  await resource.start();
  await resource.bootstrapped;
  const gateway = testGateway({
    naming,
    catalog,
    caches: () => caller,
    resources: () => caller,
    requestTimeoutMs,
    authorizer: alwaysAllow,
  });

  async function swap(kind: Kind, object: JsonObject, value: Buffer | undefined): Promise<boolean> {
    const { namespace = "", name = "" } = withMetadata(object).metadata;
    const at = key(`${naming.storePrefix}${kind.storage.prefix}/${kind.namespaced ? `${namespace}/` : ""}${name}`);
    const current = await store.get(at);
    if (current === undefined && value === undefined) return true;
    const swapped = await store.swap({ key: at, expected: current?.revision ?? noRevision, value });
    return swapped.done;
  }

  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ metadata: { name: readManifests().namespace } });
  await gateway.ask({ method: "POST", target: "/api/v1/namespaces", headers: json, body });

  return {
    cpu: cpuMilliseconds,
    ask: (request) => gateway.ask(request),
    async plant(kind, object) {
      const stored = storedForm(kind, object);
      if (stored === undefined) return false;
      const value = Buffer.from(JSON.stringify(stored));
      return value.length <= mostStoredBytes && swap(kind, stored, value);
    },
    async forget(kind, object) {
      await swap(kind, object, undefined);
    },
    get faults() {
      return [...faults, ...gateway.faults.map(({ error }) => String(error))];
    },
    async stop() {
      await cache.stop();
      await resource.stop();
      await caller.close();
      await store.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

function storedForm(kind: Kind, object: JsonObject): AnyObject | undefined {
  try {
    const stored = toHub(kind, setDefaults(kind, withMetadata(decode(kind.type, object).value)));
    return { ...stored, metadata: { uid: "planted", creationTimestamp: "2025-01-01T00:00:00Z", ...stored.metadata } };
  } catch {
    return undefined;
  }
}
