import type { Client } from "@orch/client/client.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Informer } from "./informers.js";
import { isGoing, type Kind, type OwnerReference, referenceTo } from "./objects.js";
import { compileSelectorOnce, type LabelSelector, type Labels } from "./selection.js";

/** What an owner's children are, and which objects change hands for it. */
export interface Claimed<T extends ApiObject> {
  readonly owned: readonly T[];
  /** Selected, and nobody's. */
  readonly adopt: readonly T[];
  /** The owner's, and not selected any more. */
  readonly release: readonly T[];
}

/** An owner whose selector is absent or invalid claims nothing new and lets nothing go. */
export function claim<T extends ApiObject>(
  owner: ApiObject,
  {
    managed,
    orphans,
    selector,
  }: {
    readonly managed: Iterable<T>;
    readonly orphans: Iterable<T>;
    readonly selector: LabelSelector | undefined;
  },
): Claimed<T> {
  const matcher = compileSelectorOnce(selector);
  const matches = (labels: Labels | undefined): boolean => matcher?.matches(labels) ?? false;
  const going = isGoing(owner);
  const owned: T[] = [];
  const release: T[] = [];
  for (const child of managed) {
    if (matcher === undefined || matches(child.metadata.labels)) owned.push(child);
    // Of an owner that goes the garbage collector knows what becomes of its children.
    else if (!going) release.push(child);
  }
  const adopt: T[] = [];
  if (!going) {
    for (const orphan of orphans) if (!isGoing(orphan) && matches(orphan.metadata.labels)) adopt.push(orphan);
  }
  return { owned, adopt, release };
}

export interface AdoptionDeps {
  readonly client: Pick<Client, "get" | "patch">;
  readonly kind: Kind;
  /** Of the children. */
  readonly collection: Collection;
  /** What a child of this kind carries for its owner, beside the reference. */
  readonly finalizer?: string;
}

/**
 * The children of an owner that the informer shows, after those that are to change hands have: an orphan is adopted after
 * a live read of the owner, which must be the same and not be deleted.
 * @throws ApiError
 */
export async function claimChildren(
  owner: ApiObject,
  {
    informer,
    selector,
    ...deps
  }: Omit<AdoptionDeps, "collection"> & {
    readonly informer: Informer;
    readonly selector: LabelSelector | undefined;
  },
  signal: AbortSignal,
): Promise<readonly ApiObject[]> {
  const { namespace = "", uid = "" } = owner.metadata;
  const managed = informer.managedBy(uid);
  const claimed = claim(owner, { managed, orphans: informer.orphansIn(namespace), selector });
  const { owned, adopt, release } = claimed;
  if (adopt.length === 0 && release.length === 0) return owned;
  return await changeHands(owner, claimed, { ...deps, collection: informer.collection }, signal);
}

async function changeHands(
  owner: ApiObject,
  { owned, adopt, release }: Claimed<ApiObject>,
  deps: AdoptionDeps,
  signal: AbortSignal,
): Promise<readonly ApiObject[]> {
  const { client, kind, finalizer } = deps;
  const { name = "", namespace = "", uid = "" } = owner.metadata;
  const collection = { ...deps.collection, namespace };
  const change = (child: ApiObject, metadata: object): Promise<ApiObject> => {
    const body = { metadata: { uid: child.metadata.uid, ...metadata } };
    return client.patch(collection, child.metadata.name ?? "", { type: patchTypes.strategic, body, signal });
  };
  await Promise.all(
    release.map((child) => {
      const own = { $patch: "delete", uid };
      // A key of the list that deletes a finalizer that is not there changes nothing.
      const finalizers = finalizer === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": [finalizer] };
      return change(child, { ownerReferences: [own], ...finalizers }).catch(unlessPastOrInvalid);
    }),
  );
  if (adopt.length === 0) return owned;
  const live = await client.get({ ...kind.collection, namespace }, name, { signal }).catch(unlessPast);
  if (live === undefined || live.metadata.uid !== uid || isGoing(live)) return owned;
  const ownerReferences: readonly OwnerReference[] = [referenceTo(kind, owner)];
  const adopted = await Promise.all(
    adopt.map((child) =>
      change(child, { ownerReferences, ...(finalizer === undefined ? {} : { finalizers: [finalizer] }) }).catch(
        unlessPast,
      ),
    ),
  );
  return [...owned, ...adopted.filter((child) => child !== undefined)];
}

/** A reference that is gone already cannot be deleted. */
function unlessPastOrInvalid(error: unknown): undefined {
  if (error instanceof ApiError && error.reason === "Invalid") return undefined;
  return unlessPast(error);
}
