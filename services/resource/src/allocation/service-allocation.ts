import type { Catalog } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { ApiError } from "@orch/status/api-error.js";
import { key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { remove } from "../write/deletion/delete.js";
import { ownWrite } from "../write/own-write.js";
import { storedObject } from "../write/stored.js";
import { builtIn, type WriteDeps } from "../write/write.js";
import { type Allocations, createAllocations } from "./allocations.js";
import { createAllocationMetrics, noAllocationMetrics } from "./metrics.js";
import { createPools, type PoolsConfig } from "./pools.js";
import { createRepair, keepRepaired } from "./repair.js";
import { type GatewayAddress, keepRootService } from "./root-service.js";

export interface AllocationConfig extends PoolsConfig {
  /** How often claims and services are compared. */
  readonly repairMs?: number;
}

export interface AllocationDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly naming: Naming;
  readonly metrics?: Metrics;
  readonly log: (what: string, error: unknown) => void;
  readonly now: () => number;
  readonly random: () => number;
}

/** Everything about the numbers of services, put together. */
export interface ServiceAllocation {
  readonly allocations: Allocations;
  /** Repairs claims, and keeps the root service once there is a namespace for it and a gateway to lead to. */
  run(signal: AbortSignal, start: AllocationStart): Promise<void>;
  leadTo(gateway: GatewayAddress): void;
}

export interface AllocationStart {
  /** Settles when the system's namespaces are there. */
  readonly bootstrapped: Promise<void>;
  /** Called when the claims of all services have been repaired once. */
  readonly repaired: () => void;
}

const usualRepairMs = 60_000;

/** `writes` is asked for when something is to be written: it holds what is made here. */
export function createServiceAllocation(
  config: AllocationConfig,
  deps: AllocationDeps,
  writes: () => WriteDeps,
): ServiceAllocation {
  const { naming, store, log } = deps;
  const pools = createPools(config);
  const metrics = deps.metrics === undefined ? noAllocationMetrics : createAllocationMetrics(deps.metrics, naming);
  const shared = { store, prefix: naming.storePrefix, pools, metrics, log };
  const ready = signal<void>();
  const gateway = signal<GatewayAddress>();

  const removeEndpoints = async (namespace: string, name: string): Promise<void> => {
    const kind = builtIn({ deps: writes() }, "v1", "Endpoints");
    await remove(ownWrite(writes(), kind, { verb: "delete", namespace, name })).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.reason === "NotFound")) throw error;
    });
  };
  const { now, random } = deps;
  const kind = builtIn({ deps }, "v1", "Service");
  const uidOf = async (namespace: string, name: string): Promise<string | undefined> => {
    const entry = await store.get(key(`${naming.storePrefix}${kind.storage.prefix}/${namespace}/${name}`));
    return entry === undefined ? undefined : storedObject(kind, entry).metadata.uid;
  };
  const whenReady = (): Promise<void> => ready.given;
  const allocations = createAllocations({ ...shared, now, random, ready: whenReady, uidOf, removeEndpoints });

  const keepRoot = async (bootstrapped: Promise<void>, abort: AbortSignal): Promise<void> => {
    const stopped = new Promise<undefined>((resolve) => abort.addEventListener("abort", () => resolve(undefined)));
    const at = await Promise.race([bootstrapped.then(() => gateway.given), stopped]);
    const clusterIP = pools.ofFamily(pools.families[0] ?? "")?.textAt(0);
    if (at === undefined || clusterIP === undefined || abort.aborted) return;
    await keepRootService({ ...writes(), log }, { clusterIP, gateway: at }, abort);
  };

  return {
    allocations,
    async run(abort, { bootstrapped, repaired }) {
      // Whoever still waits then hears from the store that it is closed.
      abort.addEventListener("abort", () => ready.give());
      const first = (): void => {
        ready.give();
        repaired();
      };
      const options = { metrics, log, intervalMs: config.repairMs ?? usualRepairMs, first };
      await Promise.all([
        keepRepaired(createRepair({ ...shared, kind }), options, abort),
        keepRoot(bootstrapped, abort),
      ]);
    },
    leadTo: gateway.give,
  };
}

/** A promise and what settles it. */
function signal<T>(): { readonly given: Promise<T>; readonly give: (value: T) => void } {
  let give: (value: T) => void = () => {};
  const given = new Promise<T>((resolve) => {
    give = resolve;
  });
  return { given, give: (value) => give(value) };
}
