import { withMetadata } from "@orch/api/object.js";
import { amountOf, sameAmounts, without } from "@orch/api/quota/amounts.js";
import { countName, evaluatorOf, isMeasured } from "@orch/api/quota/evaluators.js";
import type { QuotaStatus, ResourceQuota } from "@orch/api/quota/types.js";
import type { ApiResource } from "@orch/client/discovery.js";
import { listAll } from "@orch/client/list-all.js";
import { metadataOnly } from "@orch/client/metadata-only.js";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unavailable } from "@orch/status/api-error.js";
import type { ControllerTools } from "../tools.js";
import { type Freed, usedAfter } from "./freed.js";
import { resourcesOf } from "./quota-index.js";
import { type Population, usedBy, withRaised } from "./recount.js";

export const quotaCollection = { group: "", version: "v1", resource: "resourcequotas" };

/** What is served of what quotas are about. */
export interface Served {
  /** By {@link countName}. */
  readonly resources: ReadonlyMap<string, ApiResource>;
  /** Groups of which not everything is known now. */
  readonly stale: ReadonlySet<string>;
}

/** What came of a try to count a quota. */
export type Counted =
  /** What was admitted a moment ago is not written yet: it can be counted so many milliseconds later. */
  | { readonly type: "later"; readonly ms: number }
  | { readonly type: "gone" }
  /** `exact`: nothing was raised meanwhile, which may be counted twice for now. */
  | { readonly type: "counted"; readonly exact: boolean };

export interface QuotaCounter {
  /** @throws ApiError Conflict where somebody else has changed the quota meanwhile, ServiceUnavailable */
  count(quota: ApiObject, served: Served, signal: AbortSignal): Promise<Counted>;
  /** Takes off at once what objects used that are gone, as far as that is known without a count. @throws ApiError Conflict */
  free(quota: ApiObject, freed: readonly Freed[], signal: AbortSignal): Promise<void>;
  /** A quota that is gone. */
  forget(quota: ApiObject): void;
}

type Tools = Pick<ControllerTools, "client" | "naming" | "clock">;

/** `settleMs`: how long a write takes at most, in almost every case, from its admission until it can be read. */
export function createQuotaCounter(settleMs: number, { client, naming, clock }: Tools): QuotaCounter {
  /** The state of a quota from which a count begins, by its key: what is raised from then on is added to it. */
  const begun = new Map<string, { readonly quota: ApiObject; readonly at: number }>();

  /** Of the lists of the last count, by the quota's key. */
  const counts = new Map<string, { readonly uid: string | undefined; readonly at: ReadonlyMap<string, number> }>();
  /** One at a time of a quota: what is freed during a count could not be told from what is raised. */
  const inTurn = createTurns();

  /** As it stands now; the controller's account may list quotas and get none. */
  const live = async ({ metadata }: ApiObject, signal: AbortSignal): Promise<ApiObject | undefined> => {
    const { namespace = "", name = "", uid } = metadata;
    const fieldSelector = `metadata.name=${name}`;
    const { items } = await client.list({ ...quotaCollection, namespace }, { fieldSelector, signal });
    const found = items.find((item) => item.metadata.uid === uid);
    return found === undefined || found.metadata["deletionTimestamp"] !== undefined ? undefined : found;
  };
  const populationsOf = (quota: ApiObject, { resources, stale }: Served, signal: AbortSignal) =>
    Promise.all(
      resourcesOf(withMetadata(quota), naming).map(async (each): Promise<Listed> => {
        const evaluator = evaluatorOf(each, naming);
        const found = resources.get(countName(each));
        // What is not known is not absent: a quota would be free that is full.
        if (found === undefined && stale.has(each.group)) throw unavailable(`${each.group} is not known now`);
        if (found === undefined) return { evaluator, objects: [], name: countName(each), revision: 0 };
        const { group, version, resource } = found;
        const collection = { group, version, resource, namespace: quota.metadata.namespace ?? "" };
        const accept = isMeasured(each, naming) ? {} : { accept: metadataOnly(naming).list };
        const { items, resourceVersion } = await listAll(client, collection, { ...accept, signal });
        const objects = items.map((item) => withMetadata(item));
        return { evaluator, objects, name: countName(each), revision: Number(resourceVersion) };
      }),
    );

  const store = async (live: ApiObject, status: QuotaStatus, signal: AbortSignal): Promise<void> => {
    const place = { ...quotaCollection, namespace: live.metadata.namespace ?? "" };
    await client.update(place, { ...live, status }, { subresource: "status", signal });
  };
  return {
    count: (quota, served, signal) => inTurn(keyOf(quota), () => count(quota, served, signal)),
    free: (quota, freed, signal) => inTurn(keyOf(quota), () => free(quota, freed, signal)),
    forget(quota) {
      begun.delete(keyOf(quota));
      counts.delete(keyOf(quota));
    },
  };

  async function free(quota: ApiObject, freed: readonly Freed[], signal: AbortSignal): Promise<void> {
    const key = keyOf(quota);
    const last = await live(quota, signal);
    const counted = counts.get(key);
    // One that was not counted yet is about to be.
    if (last === undefined || counted === undefined || counted.uid !== last.metadata.uid || !isCountedOut(last)) return;
    const { status } = quotaOf(last);
    const used = usedAfter(quotaOf(last), freed, counted.at);
    if (used === undefined || sameAmounts(used, status?.used ?? {})) return;
    await store(last, { hard: status?.hard ?? {}, used }, signal);
    const waiting = begun.get(key);
    if (waiting === undefined) return;
    // What is raised from then on is still told from what was there.
    const less = without(quotaOf(waiting.quota).status?.used ?? {}, without(status?.used ?? {}, used));
    begun.set(key, {
      ...waiting,
      quota: { ...waiting.quota, status: { ...quotaOf(waiting.quota).status, used: less } },
    });
  }

  async function count(quota: ApiObject, served: Served, signal: AbortSignal): Promise<Counted> {
    const key = keyOf(quota);
    const known = begun.get(key);
    const first = known?.quota.metadata.uid === quota.metadata.uid ? known?.quota : await live(quota, signal);
    if (first === undefined) {
      begun.delete(key);
      counts.delete(key);
      return { type: "gone" };
    }
    // A quota that was not counted yet limits nothing: there is nothing to wait for.
    const since = first === known?.quota ? known.at : clock.monotonic();
    const waited = clock.monotonic() - since;
    if (isCountedOut(first) && waited < settleMs) {
      begun.set(key, { quota: first, at: since });
      return { type: "later", ms: settleMs - waited };
    }
    begun.delete(key);
    counts.delete(key);
    const populations = await populationsOf(first, served, signal);
    const last = await live(quota, signal);
    if (last === undefined) return { type: "gone" };
    const counted = usedBy(quotaOf(last), populations, clock.now());
    const { spec, status } = quotaOf(last);
    const used = withRaised(counted, quotaOf(first).status?.used ?? {}, status?.used ?? {});
    const hard = spec?.hard ?? {};
    if (!sameAmounts(hard, status?.hard ?? {}) || !sameAmounts(used, status?.used ?? {})) {
      await store(last, { hard, used }, signal);
    }
    const at = new Map(populations.map((one) => [one.name, one.revision]));
    counts.set(key, { uid: last.metadata.uid, at });
    return { type: "counted", exact: sameAmounts(counted, used) };
  }
}

interface Listed extends Population {
  readonly name: string;
  /** Of the list. */
  readonly revision: number;
}

/** Runs what is asked for of a key one after the other. */
function createTurns(): <T>(key: string, run: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, run) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(run, run);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}

function quotaOf(object: ApiObject): ResourceQuota {
  return withMetadata(object);
}

/** Whether its status says of everything that it limits how much is used. */
export function isCountedOut(quota: ApiObject): boolean {
  const { spec, status } = quotaOf(quota);
  const hard = spec?.hard ?? {};
  return (
    sameAmounts(hard, status?.hard ?? {}) &&
    Object.keys(hard).every((each) => amountOf(status?.used ?? {}, each) !== undefined)
  );
}
