import type { Kind } from "@orch/api/catalog.js";
import type { Service, ServiceSpec } from "@orch/api/kinds/core/service/service-spec.js";
import type { AnyObject } from "@orch/api/object.js";
import { invalid, unavailable } from "@orch/status/api-error.js";
import { type ClaimStore, claimKey, type Owner, releaseClaim, type Use } from "./claims.js";
import type { AllocationMetrics } from "./metrics.js";
import { type Pools, type Random, rangeWith } from "./pools.js";
import { familyErrors } from "./service-families.js";
import { numbered, usesOf } from "./service-numbers.js";
import { createTakings, longestWriteMs } from "./takings.js";

/** A state of an object that is about to be stored. */
export interface Taking {
  readonly kind: Kind;
  /** Of the request; "" for the object itself. */
  readonly subresource: string;
  /** Prepared and valid, with its name and uid. */
  readonly object: AnyObject;
  /** The stored state that it follows; undefined for a new object. */
  readonly old: AnyObject | undefined;
  readonly dryRun: boolean;
}

/** An object with all its numbers, which are its own until it is known what became of it. */
export interface Taken {
  readonly object: AnyObject;
  /**
   * To be called once: what is not needed is given back. What may have been stored keeps its numbers: if it was not, the
   * repair finds them.
   */
  settle(outcome: "stored" | "not stored" | "unknown"): Promise<void>;
}

/** What stands around writes of services: they are given addresses and node ports, and give them back. */
export interface Allocations {
  /** Families of the services' addresses, the default first. */
  readonly families: readonly string[];
  /** Undefined for what is given no numbers. @throws ApiError Invalid, InternalError when a number cannot be had */
  take(taking: Taking): Promise<Taken> | undefined;
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
      const pool = rangeWith(pools.named(use.pool), use.text);
      if ((await releaseClaim(options, use, uid)) && pool !== undefined) metrics.released(pool);
    });
    for (const result of await Promise.allSettled(all)) {
      if (result.status === "rejected") log("giving back a number of a service failed; the repair will", result.reason);
    }
  };

  const takeForService = async ({ object, old, dryRun }: Taking): Promise<Taken> => {
    const service: Service = object;
    const before: ServiceSpec | undefined = old === undefined ? undefined : ((old as Service).spec ?? {});
    const owner = ownerOfService(service);
    const errors = familyErrors(service.spec ?? {}, before, pools.families);
    if (errors.length > 0) throw invalid({ group: "", kind: "Service" }, owner.name, errors);
    await options.ready();
    const takings = createTakings({ ...options, owner, dryRun });
    const began = now();
    try {
      const spec = await numbered(service.spec ?? {}, { name: owner.name, old: before, pools, takings });
      if (now() - began > longestWriteMs) throw unavailable("allocating the service's addresses took too long");
      return {
        object: { ...object, spec },
        async settle(outcome) {
          if (outcome === "not stored") await takings.giveBack();
          if (outcome !== "stored" || dryRun || before === undefined) return;
          await release(left(before, spec, options), owner.uid);
        },
      };
    } catch (error) {
      await takings.giveBack();
      throw error;
    }
  };

  return {
    families: pools.families,
    take: (taking) => (isGivenNumbers(taking) ? takeForService(taking) : undefined),
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

export const isService = ({ group, kind }: Kind): boolean => group === "" && kind === "Service";

export function isGivenNumbers({ kind, subresource }: Pick<Taking, "kind" | "subresource">): boolean {
  return isService(kind) && subresource === "";
}

export function ownerOfService({ metadata }: Pick<AnyObject, "metadata">): Owner {
  const { namespace = "", name = "", uid = "" } = metadata;
  return { namespace, name, uid };
}

/** What the old state has and the new one has not. */
function left(old: ServiceSpec, spec: ServiceSpec, claims: ClaimStore): readonly Use[] {
  const kept = new Set(usesOf(spec).map((use) => claimKey(claims, use)));
  return usesOf(old).filter((use) => !kept.has(claimKey(claims, use)));
}
