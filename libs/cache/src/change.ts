/** What every mirrored item has. `key` is relative to its collection: `name` or `namespace/name`. */
export interface Item {
  readonly key: string;
  /** The revision that wrote it. */
  readonly revision: number;
  /** Bytes it holds, for the bounds of the history. */
  readonly size: number;
}

/** One change of one item; `item` is absent for a deletion, `previous` for a creation. */
export interface Change<I extends Item> {
  readonly revision: number;
  readonly key: string;
  readonly item: I | undefined;
  readonly previous: I | undefined;
}

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/**
 * What a change means to a watcher that sees only matching items (rules: Events): an item that comes to
 * match was ADDED, one that ceases to was DELETED with its last matching state.
 *
 *     matched before, matches now → MODIFIED      matched before, not now → DELETED
 *     not before, matches now     → ADDED         neither                 → undefined
 */
export function eventFor<I extends Item>(
  change: Change<I>,
  matches: (item: I) => boolean,
): { readonly type: EventType; readonly item: I } | undefined {
  const before = change.previous !== undefined && matches(change.previous) ? change.previous : undefined;
  const now = change.item !== undefined && matches(change.item) ? change.item : undefined;
  if (now !== undefined) return { type: before === undefined ? "ADDED" : "MODIFIED", item: now };
  return before === undefined ? undefined : { type: "DELETED", item: before };
}
