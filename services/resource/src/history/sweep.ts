import type { Catalog } from "@orch/api/catalog.js";
import { storedResource } from "@orch/api/stored-resource.js";
import { objectOf } from "@orch/history/note-keys.js";
import {
  type HistoryLimits,
  type HistoryPolicy,
  limitsOf,
  mostObjectBytes,
  widestLimits,
} from "@orch/history/rules.js";
import type { NotedChange } from "@orch/history/states.js";
import { type NoteSpace, noteSpaces } from "@orch/store/notes.js";
import { type Key, key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { walkNotes } from "./walk.js";

export interface SweepDeps {
  readonly store: Pick<Store, "notes">;
  readonly storePrefix: string;
  readonly catalog: { readonly now: Catalog };
  readonly policy: HistoryPolicy;
  /** Whether this process removes what is over the limits for a group's objects. */
  readonly owns: (group: string) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What a round found, after what was over the limits was removed. */
export interface KeptHistory {
  readonly records: number;
  readonly bytes: number;
  readonly removed: number;
  /** That cannot be read, and are not among the others. */
  readonly unreadable: number;
}

export interface Swept extends KeptHistory {
  /** Bytes by the hour of their change, since 1970. */
  readonly ages: ReadonlyMap<number, number>;
  /** Of each resource the newest revision of which a record was older than any rule keeps. */
  readonly aged: AgedRevisions;
}

/** By the storage prefix of a resource, all of whose objects are in one store. */
export type AgedRevisions = ReadonlyMap<string, number>;

export interface SweepBounds {
  /** What is older goes; in milliseconds since 1970. */
  readonly oldest: number;
  /** As an earlier sweep found them: what cannot be read and is no newer goes. Nobody knows its age otherwise. */
  readonly aged: AgedRevisions;
}

/** Records are told apart by age in steps of an hour, to find which are the oldest. */
const stepMs = 3600_000;

/** Removes what is over the limits of each object. */
export async function sweep(deps: SweepDeps, { oldest, aged }: SweepBounds): Promise<Swept> {
  const ages = new Map<number, number>();
  const agedNow = new Map(aged);
  const unreadable = createUnreadable(deps, aged);
  const eldest = deps.now() - (widestLimits(deps.policy)?.maxAgeMs ?? 0);
  let [records, bytes, removed] = [0, 0, 0];
  const query = { prefix: key(deps.storePrefix), unreadable: unreadable.met };
  for await (const { key: object, changes } of walkNotes(deps.store, query)) {
    const gone = isOwn(deps, object) ? new Set(overAt(deps, object, { changes, oldest })) : none;
    await removeAll(deps.store, [...gone]);
    removed += gone.size;
    const prefix = prefixOf(deps, object);
    for (const change of changes) {
      if (change.author.time < eldest) agedNow.set(prefix, Math.max(agedNow.get(prefix) ?? 0, change.revision));
      if (gone.has(change)) continue;
      records++;
      bytes += change.size;
      const hour = Math.floor(change.author.time / stepMs);
      ages.set(hour, (ages.get(hour) ?? 0) + change.size);
    }
  }
  const counts = { records, bytes, removed: removed + unreadable.removed, unreadable: unreadable.left };
  return { ...counts, ages, aged: agedNow };
}

interface Unreadable {
  readonly key: Key;
  readonly revision: number;
}

/** Removes what cannot be read and is too old, as a walk meets it. */
function createUnreadable(deps: SweepDeps, aged: AgedRevisions) {
  let [removed, left] = [0, 0];
  const isOver = ({ key: at, revision }: Unreadable): boolean => {
    const object = objectOf(at);
    if (!isOwn(deps, object)) return false;
    return limitsAt(deps, object) === undefined || revision <= (aged.get(prefixOf(deps, object)) ?? 0);
  };
  return {
    async met(space: NoteSpace, notes: readonly Unreadable[]): Promise<void> {
      const gone = notes.filter(isOver);
      await removeAll(
        deps.store,
        gone.map(({ key: at }) => ({ space, key: at })),
      );
      removed += gone.length;
      left += notes.length - gone.length;
    },
    get removed() {
      return removed;
    },
    get left() {
      return left;
    },
  };
}

const none: ReadonlySet<NotedChange> = new Set();

/** From when on changes fit into so many bytes, the newest first. */
export function oldestKept(ages: ReadonlyMap<number, number>, maxBytes: number): number {
  let left = maxBytes;
  for (const [hour, bytes] of [...ages].sort(([a], [b]) => b - a)) {
    left -= bytes;
    if (left < 0) return (hour + 1) * stepMs;
  }
  return Number.NEGATIVE_INFINITY;
}

export interface ObjectChanges {
  /** The newest first. */
  readonly changes: readonly NotedChange[];
  /** What is older goes; in milliseconds since 1970. */
  readonly oldest: number;
}

/** Changes of an object that are not to be kept: all behind one that goes go with it, since they hang on it. */
export function overAt(deps: SweepDeps, object: Key, { changes, oldest }: ObjectChanges): readonly NotedChange[] {
  const limits = limitsAt(deps, object);
  if (limits === undefined) return changes;
  const from = Math.max(oldest, deps.now() - limits.maxAgeMs);
  let bytes = 0;
  const first = changes.findIndex(({ author, size }, i) => {
    bytes += size;
    return i >= limits.maxStates || author.time < from || (bytes > mostObjectBytes && i > 0);
  });
  return first < 0 ? [] : changes.slice(first);
}

function isOwn({ catalog, storePrefix, owns }: SweepDeps, object: Key): boolean {
  const resource = storedResource(catalog.now, object.slice(storePrefix.length));
  return resource === undefined || owns(resource.group);
}

/**
 * What rules say of the object at a key. Of a kind that is not known its definition is gone, or has not come to this process yet:
 * the history of its objects lasts as long as any.
 */
export function limitsAt(deps: SweepDeps, object: Key): HistoryLimits | undefined {
  const { catalog, storePrefix, policy } = deps;
  const path = object.slice(storePrefix.length);
  const resource = storedResource(catalog.now, path);
  if (resource === undefined) return widestLimits(policy);
  const parts = path.split("/");
  // `<storage prefix>/[namespace/]name`.
  const prefixParts = prefixOf(deps, object).split("/").length;
  const namespace = parts.length > prefixParts + 1 ? (parts[prefixParts] ?? "") : "";
  return limitsOf(policy, { ...resource, namespace });
}

/** The storage prefix of an object's resource has one part or two. */
function prefixOf({ catalog, storePrefix }: SweepDeps, object: Key): string {
  const [first = "", second = ""] = object.slice(storePrefix.length).split("/", 2);
  return catalog.now.storedAt(first) === undefined ? `${first}/${second}` : first;
}

/** Removes notes of each space. */
export async function removeAll(
  { notes }: Pick<Store, "notes">,
  some: readonly { readonly space: NoteSpace; readonly key: Key }[],
): Promise<void> {
  for (const space of noteSpaces) {
    const keys = some.filter((note) => note.space === space).map(({ key: at }) => at);
    if (keys.length > 0) await notes.remove(space, keys);
  }
}
