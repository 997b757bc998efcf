import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { ApiError } from "@orch/status/api-error.js";
import { key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import type { Mirror } from "../mirror.js";
import { remove } from "../write/deletion/delete.js";
import { ownWrite } from "../write/own-write.js";
import { storedObject } from "../write/storing/stored.js";
import { builtIn, type WriteDeps } from "../write/write.js";
import { createAddressObjects } from "./address-objects.js";
import { type Allocations, createAllocations } from "./allocations.js";
import { createAllocationMetrics, noAllocationMetrics } from "./metrics.js";
import { createPools, type PoolsConfig } from "./pools.js";
import { createRanges } from "./ranges.js";
import { createRepair, keepRepaired } from "./repair.js";
import { keepRootRange } from "./root-range.js";
import { type GatewayAddress, keepRootService } from "./root-service.js";

export interface AllocationConfig extends PoolsConfig {
  /** How often claims and services are compared. */
  readonly repairMs?: number;
  /** Ranges are ServiceCIDR objects, and addresses that are taken IPAddress objects (gate MultiCIDRServiceAllocator). */
  readonly rangesAreObjects?: boolean;
}

export interface AllocationDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly naming: Naming;
  readonly metrics?: Metrics;
  readonly log: (what: string, error: unknown) => void;
  readonly now: () => number;
  readonly random: () => number;
  readonly newUid: () => string;
  /** A mirror that runs with the service; asked only where ranges are objects. */
  readonly mirrorOf: (kind: Kind) => Mirror;
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
  const asObjects = config.rangesAreObjects === true ? objectsOf(deps) : undefined;
  const pools = asObjects === undefined ? createPools(config) : createRanges(asObjects.ranges, config);
  const metrics = deps.metrics === undefined ? noAllocationMetrics : createAllocationMetrics(deps.metrics, naming);
  const shared = { store, prefix: naming.storePrefix, pools, metrics, log, objects: asObjects?.addresses };
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
    const clusterIP = createPools(config)
      .ofFamily(pools.families[0] ?? "")[0]
      ?.textAt(0);
    if (at === undefined || clusterIP === undefined || abort.aborted) return;
    await keepRootService({ ...writes(), log }, { clusterIP, gateway: at }, abort);
  };

  /** What repairs begins when it knows which addresses are in range. */
  const keepRanges = async (mirror: Mirror, abort: AbortSignal, repair: () => Promise<void>): Promise<void> => {
    const known = signal<void>();
    abort.addEventListener("abort", () => known.give());
    const root = { addresses: config.addresses, mirror, first: known.give };
    await Promise.all([keepRootRange({ ...writes(), log }, root, abort), known.given.then(repair)]);
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
      const repair = (): Promise<void> => keepRepaired(createRepair({ ...shared, kind }), options, abort);
      await Promise.all([
        asObjects === undefined ? repair() : keepRanges(asObjects.ranges, abort, repair),
        keepRoot(bootstrapped, abort),
      ]);
    },
    leadTo: gateway.give,
  };
}

/** The ranges that there are, and how addresses of them are claimed. */
function objectsOf(deps: AllocationDeps) {
  const version = `${deps.naming.group("networking")}/v1beta1`;
  return {
    ranges: deps.mirrorOf(builtIn({ deps }, version, "ServiceCIDR")),
    addresses: createAddressObjects({ ...deps, kind: builtIn({ deps }, version, "IPAddress") }),
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
