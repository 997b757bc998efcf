import type { Kind } from "@orch/api/catalog.js";
import type { Service, ServiceSpec } from "@orch/api/kinds/core/service-spec.js";
import type { AnyObject } from "@orch/api/object.js";
import { ApiError, invalid, unavailable } from "@orch/status/api-error.js";
import { type ClaimStore, claimKey, type Owner, releaseClaim, type Use } from "./claims.js";
import type { AllocationMetrics } from "./metrics.js";
import type { Pools, Random } from "./pools.js";
import { familyErrors } from "./service-families.js";
import { numbered, usesOf } from "./service-numbers.js";
import { createTakings, longestWriteMs } from "./takings.js";

/** One try to store a state of an object. */
export interface Storing<T> {
  readonly kind: Kind;
  /** Of the request; "" for the object itself. */
  readonly subresource: string;
  /** Prepared and valid, with its name and uid. */
  readonly object: AnyObject;
  /** The stored state that it follows; undefined for a new object. */
  readonly old: AnyObject | undefined;
  readonly dryRun: boolean;
  readonly store: (object: AnyObject) => Promise<T>;
  readonly stored: (result: T) => boolean;
}

/** What stands around writes of services: they are given addresses and node ports, and give them back. */
export interface Allocations {
  /** Families of the services' addresses, the default first. */
  readonly families: readonly string[];
  /**
   * Stores an object; a service with all its numbers taken before, and those that it left given back afterwards.
   * @throws ApiError Invalid, InternalError when a number cannot be had
   */
  around<T>(storing: Storing<T>): Promise<T>;
  /** After an object is gone from the store: what a service had is free again, its endpoints go with it. */
  removed(kind: Kind, object: AnyObject): Promise<void>;
}

export interface AllocationsOptions extends ClaimStore {
  readonly pools: Pools;
  readonly metrics: AllocationMetrics;
  readonly random: Random;
  readonly now: () => number;
  readonly log: (what: string, error: unknown) => void;
  /** The uid of the service that is stored under a name. */
  readonly uidOf: (namespace: string, name: string) => Promise<string | undefined>;
  /** Settles when every number that a stored service has is claimed. */
  readonly ready: () => Promise<void>;
  /** Deletes the Endpoints of a service that is gone, if they are there. */
  readonly removeEndpoints: (namespace: string, name: string) => Promise<void>;
}

export function createAllocations(options: AllocationsOptions): Allocations {
  const { pools, metrics, log, now } = options;

  const release = async (uses: readonly Use[], uid: string): Promise<void> => {
    const all = uses.map(async (use) => {
      const pool = pools.all.find(({ name }) => name === use.pool);
      if ((await releaseClaim(options, use, uid)) && pool !== undefined) metrics.released(pool);
    });
    for (const result of await Promise.allSettled(all)) {
      if (result.status === "rejected") log("giving back a number of a service failed; the repair will", result.reason);
    }
  };

  const aroundService = async <T>(storing: Storing<T>): Promise<T> => {
    const { old, dryRun } = storing;
    const object: Service = storing.object;
    const before: ServiceSpec | undefined = old === undefined ? undefined : ((old as Service).spec ?? {});
    const owner = ownerOfService(object);
    const errors = familyErrors(object.spec ?? {}, before, pools.families);
    if (errors.length > 0) throw invalid({ group: "", kind: "Service" }, owner.name, errors);
    await options.ready();
    const takings = createTakings({ ...options, owner, dryRun });
    const began = now();
    let sent = false;
    try {
      const spec = await numbered(object.spec ?? {}, { name: owner.name, old: before, pools, takings });
      if (now() - began > longestWriteMs) throw unavailable("allocating the service's addresses took too long");
      sent = true;
      const result = await storing.store({ ...storing.object, spec });
      if (!storing.stored(result)) await takings.giveBack();
      else if (!dryRun && before !== undefined) await release(left(before, spec, options), owner.uid);
      return result;
    } catch (error) {
      // What may have been stored keeps its numbers: if it was not, the repair finds them.
      if (!sent || !isUnknown(error)) await takings.giveBack();
      throw error;
    }
  };

  return {
    families: pools.families,
    around: (storing) =>
      isService(storing.kind) && storing.subresource === "" ? aroundService(storing) : storing.store(storing.object),
    async removed(kind, object) {
      if (!isService(kind)) return;
      const { namespace, name, uid } = ownerOfService(object);
      const endpoints = options.removeEndpoints(namespace, name).catch((error: unknown) => {
        log(`deleting the endpoints of service ${namespace}/${name} failed`, error);
      });
      await Promise.all([endpoints, release(usesOf((object as Service).spec ?? {}), uid)]);
    },
  };
}

const isService = ({ group, kind }: Kind): boolean => group === "" && kind === "Service";

export function ownerOfService({ metadata }: Pick<AnyObject, "metadata">): Owner {
  const { namespace = "", name = "", uid = "" } = metadata;
  return { namespace, name, uid };
}

/** What the old state has and the new one has not. */
function left(old: ServiceSpec, spec: ServiceSpec, claims: ClaimStore): readonly Use[] {
  const kept = new Set(usesOf(spec).map((use) => claimKey(claims, use)));
  return usesOf(old).filter((use) => !kept.has(claimKey(claims, use)));
}

/** A transaction that may have taken effect. */
function isUnknown(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "Timeout";
}
