import { union } from "../fields/field-set.js";
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
  const capped = new Map(managers);
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
  return capped;
}

/** Puts an owner to the old changes of its version, which begin with the first of them. */
function mergeIntoOld(managers: Map<string, Owner>, first: string, id: string, { apiVersion, set, time }: Owner): void {
  const key: ManagerKey = { manager: oldChanges, operation: "Update", apiVersion, subresource: "" };
  const bucket = managerId(key);
  const old = managers.get(bucket) ?? managers.get(first);
  if (!managers.has(bucket)) managers.delete(first);
  managers.set(bucket, { ...key, time, set: old === undefined ? set : union(old.set, set), entry: undefined });
  managers.delete(id);
}
