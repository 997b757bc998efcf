import { type FieldSet, unionOf } from "../fields/field-set.js";
import { compareTexts } from "../fields/go-text.js";
import { type ManagerKey, type Managers, managerId, type Owner } from "./managers.js";

const maxUpdaters = 10;
const oldChanges = "ancient-changes";

/** Seconds are what times are told apart by; none is the first. */
function compareAges([a, x]: readonly [string, Owner], [b, y]: readonly [string, Owner]): number {
  return compareTexts(x.time ?? "", y.time ?? "") || compareTexts(a, b);
}

/** At most ten owners by update: the oldest of them, of one version, become one. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, owner]) => owner.operation === "Update");
  if (updaters.length <= maxUpdaters) return managers;
  const capped: Capped = { owners: new Map(managers), sets: new Map() };
  const firsts = new Map<string, string>();
  let left = updaters.length;
  for (const [id, owner] of updaters.sort(compareAges)) {
    if (left <= maxUpdaters) break;
    const first = firsts.get(owner.apiVersion);
    if (first === undefined) {
      firsts.set(owner.apiVersion, id);
      continue;
    }
    mergeIntoOld(capped, first, id, owner);
    left--;
  }
  for (const [id, sets] of capped.sets) {
    const old = capped.owners.get(id);
    if (old !== undefined) capped.owners.set(id, { ...old, set: unionOf(sets) });
  }
  return capped.owners;
}

interface Capped {
  readonly owners: Map<string, Owner>;
  /** What goes into the old changes of a version, by their identity: put together at the end, all at once. */
  readonly sets: Map<string, FieldSet[]>;
}

/** Puts an owner to the old changes of its version, which begin with the first of them. */
function mergeIntoOld({ owners, sets }: Capped, first: string, id: string, { apiVersion, set, time }: Owner): void {
  const key: ManagerKey = { manager: oldChanges, operation: "Update", apiVersion, subresource: "" };
  const bucket = managerId(key);
  const old = owners.get(bucket) ?? owners.get(first);
  if (!owners.has(bucket)) owners.delete(first);
  const merged = sets.get(bucket) ?? (old === undefined ? [] : [old.set]);
  merged.push(set);
  sets.set(bucket, merged);
  owners.set(bucket, { ...key, time, set, entry: undefined });
  owners.delete(id);
  if (id === bucket) sets.delete(bucket);
}
