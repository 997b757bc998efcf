import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import type { AbsentOwners } from "./absent-owners.js";
import type { Graph, GraphNode } from "./graph.js";
import type { LiveObjects, Located, MetadataChange, Propagation } from "./live.js";
import type { Orphaners } from "./orphaners.js";
import {
  deletesDependentsFirst,
  finalizersOf,
  foregroundFinalizer,
  type Identity,
  identityOfOwner,
  type OwnerReference,
  orphanFinalizer,
  ownersOf,
  referencesTo,
} from "./references.js";

/** What became of one look at an object. */
export type Examined =
  /** Nothing more to do until an event says otherwise. */
  | "settled"
  /** Its kind is not served, or the kind of an owner: perhaps later. */
  | "unknown-kind"
  | "deleted";

export interface ExamineDeps {
  readonly graph: Graph;
  readonly live: LiveObjects;
  readonly absentOwners: AbsentOwners;
  readonly orphaners: Orphaners;
  /** Look at another node soon. */
  readonly examine: (node: GraphNode) => void;
}

/** Owners of an object by what they mean for it. */
export interface Owners {
  /** Are there and stay. */
  readonly solid: readonly OwnerReference[];
  /** Are not there. */
  readonly dangling: readonly OwnerReference[];
  /** Are deleted in the foreground and wait for their dependents. */
  readonly waiting: readonly OwnerReference[];
}

/** What is to be done with an object that has owners. */
export type Verdict =
  | { readonly do: "keep" }
  /** It stays for its solid owners; the others are taken out of its references. */
  | { readonly do: "disown"; readonly owners: readonly OwnerReference[] }
  | { readonly do: "delete"; readonly propagation: Propagation };

/** From an object's owners and its own state to what is to be done (the garbage collector's rules in one place). */
export function judge(
  { solid, dangling, waiting }: Owners,
  item: { readonly hasDependents: boolean; readonly finalizers: readonly string[] },
): Verdict {
  if (solid.length > 0) {
    const owners = [...dangling, ...waiting];
    // Those that wait would wait for ever for an object that stays.
    return owners.length === 0 ? { do: "keep" } : { do: "disown", owners };
  }
  if (waiting.length > 0 && item.hasDependents) return { do: "delete", propagation: "Foreground" };
  // A wish that the object already carries is honoured.
  if (item.finalizers.includes(orphanFinalizer)) return { do: "delete", propagation: "Orphan" };
  if (item.finalizers.includes(foregroundFinalizer)) return { do: "delete", propagation: "Foreground" };
  return { do: "delete", propagation: "Background" };
}

/** Looks at an object as it is now and deletes it where nobody owns it any more. @throws ApiError to be tried again */
export async function examine(deps: ExamineDeps, node: GraphNode): Promise<Examined> {
  if (node.beingDeleted && !node.deletingDependents) return "settled";
  const at = locate(deps.live, node.identity);
  if (at === undefined) return "unknown-kind";
  // A cluster-wide object names an owner of a kind that has namespaces: never right, and never decided.
  if (at === "misplaced") return "settled";
  const object = await deps.live.get(at);
  if (object === undefined || object.metadata.uid !== node.identity.uid) {
    deps.graph.confirmAbsent(at.identity);
    return "settled";
  }
  if (node.deletingDependents) return await waitForDependents(deps, node, at);
  const references = ownersOf(object);
  if (references.length === 0) return "settled";
  const leftBy = references.filter(({ uid }) => deps.orphaners.has(uid));
  if (leftBy.length > 0) {
    await deps.live.changeMetadata(at, withoutOwners(uidsOf(leftBy)));
    if (leftBy.length < references.length) deps.examine(node);
    return "settled";
  }
  const owners = await classify(deps, node, references);
  if (owners === "misplaced") return "settled";
  if (owners === "unknown-kind") return "unknown-kind";
  const verdict = judge(owners, { hasDependents: node.dependents.size > 0, finalizers: finalizersOf(object) });
  if (verdict.do === "keep") return "settled";
  if (verdict.do === "disown") {
    await deps.live.changeMetadata(at, withoutOwners(uidsOf(verdict.owners)));
    return "settled";
  }
  // Two that wait for each other would wait for ever: this one no longer blocks its owners.
  const cycle = owners.waiting.length > 0 && [...node.dependents].some((dependent) => dependent.deletingDependents);
  if (cycle) await deps.live.changeMetadata(at, withoutBlocking);
  // Without that change the version still says what was judged.
  return await deleteJudged(deps, at, { object, propagation: verdict.propagation, unchanged: !cycle });
}

function locate(live: LiveObjects, identity: Identity): Located | "misplaced" | undefined {
  const place = live.place(identity);
  if (place === undefined) return undefined;
  const { collection, namespaced } = place;
  if (!namespaced) return { collection, identity };
  return identity.namespace === ""
    ? "misplaced"
    : { collection: { ...collection, namespace: identity.namespace }, identity };
}

/** A deletion in the foreground ends when no dependent blocks it any more. */
async function waitForDependents(deps: ExamineDeps, node: GraphNode, at: Located): Promise<Examined> {
  const { uid } = node.identity;
  const blocking = [...node.dependents].filter(({ owners }) =>
    referencesTo(uid, owners).some((owner) => owner.blockOwnerDeletion),
  );
  for (const dependent of blocking) if (!dependent.deletingDependents) deps.examine(dependent);
  if (blocking.length === 0) await deps.live.changeMetadata(at, withoutFinalizer(foregroundFinalizer));
  return "settled";
}

async function classify(
  deps: ExamineDeps,
  node: GraphNode,
  references: readonly OwnerReference[],
): Promise<Owners | "unknown-kind" | "misplaced"> {
  const solid: OwnerReference[] = [];
  const dangling: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  for (const reference of references) {
    const owner = await findOwner(deps, node, reference);
    if (owner === "unknown-kind" || owner === "misplaced") return owner;
    if (owner === undefined) dangling.push(reference);
    else (deletesDependentsFirst(owner) ? waiting : solid).push(reference);
  }
  return { solid, dangling, waiting };
}

/** The owner as it is now; undefined where it is absent, in the dependent's namespace or as what it is said to be. */
async function findOwner(
  { live, absentOwners }: ExamineDeps,
  node: GraphNode,
  reference: OwnerReference,
): Promise<ApiObject | "unknown-kind" | "misplaced" | undefined> {
  const { namespace } = node.identity;
  const here = identityOfOwner(reference, namespace);
  const clusterWide = identityOfOwner(reference, "");
  if (absentOwners.has(clusterWide) || absentOwners.has(here)) return undefined;
  const at = locate(live, here);
  if (at === undefined) return "unknown-kind";
  if (at === "misplaced") return "misplaced";
  const owner = await live.get(at);
  if (owner?.metadata.uid === reference.uid) return owner;
  absentOwners.add(at.collection.namespace === undefined ? clusterWide : here);
  return undefined;
}

async function deleteJudged(
  deps: ExamineDeps,
  at: Located,
  judged: { readonly object: ApiObject; readonly propagation: Propagation; readonly unchanged: boolean },
): Promise<Examined> {
  const { live } = deps;
  const { object, propagation, unchanged } = judged;
  try {
    const resourceVersion = unchanged ? object.metadata.resourceVersion : undefined;
    await live.delete(at, { resourceVersion, propagation });
    return "deleted";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.reason === "NotFound") return "settled";
    if (error.reason !== "Conflict") throw error;
    const now = await live.get(at);
    if (now === undefined || now.metadata.uid !== at.identity.uid) return "settled";
    if (!sameOwners(now, object)) throw error;
    // It changes all the time, its owners do not: what was judged still holds.
    await live.delete(at, { resourceVersion: undefined, propagation });
    return "deleted";
  }
}

const uidsOf = (owners: readonly OwnerReference[]): ReadonlySet<string> => new Set(owners.map(({ uid }) => uid));

const sameOwners = (a: ApiObject, b: ApiObject): boolean =>
  JSON.stringify(a.metadata["ownerReferences"]) === JSON.stringify(b.metadata["ownerReferences"]);

type Change = (object: ApiObject) => MetadataChange | undefined;

function references(object: ApiObject): readonly unknown[] {
  const list = object.metadata["ownerReferences"];
  return Array.isArray(list) ? list : [];
}

export function withoutOwners(uids: ReadonlySet<string>): Change {
  return (object) => {
    const before = references(object);
    const ownerReferences = before.filter((r) => !(isRecord(r) && typeof r["uid"] === "string" && uids.has(r["uid"])));
    return ownerReferences.length === before.length ? undefined : { ownerReferences };
  };
}

function withoutBlocking(object: ApiObject): MetadataChange | undefined {
  const before = references(object);
  if (!before.some((r) => isRecord(r) && r["blockOwnerDeletion"] === true)) return undefined;
  return { ownerReferences: before.map((r) => (isRecord(r) ? { ...r, blockOwnerDeletion: false } : r)) };
}

export function withoutFinalizer(finalizer: string): Change {
  return (object) => {
    const before = finalizersOf(object);
    const finalizers = before.filter((f) => f !== finalizer);
    return finalizers.length === before.length ? undefined : { finalizers };
  };
}
