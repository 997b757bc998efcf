import type { Resources } from "@orch/api/kinds/core/resources.js";
import { added, amountOf, only, without } from "@orch/api/quota/amounts.js";
import { type ResourceQuota, scopesOf } from "@orch/api/quota/types.js";
import { compareQuantities } from "@orch/schema/formats/quantity.js";

/** What an object used that is gone. */
export interface Freed {
  /** Of its resource, as `countName` has it. */
  readonly name: string;
  /** Of the deletion. */
  readonly revision: number;
  readonly usage: Resources;
}

/**
 * What is used of a quota once these objects are gone; undefined where a count has to tell. `countedAt`: the revisions of the lists
 * of which its use was counted last, by resource: what had gone by then was not in them.
 */
export function usedAfter(
  quota: ResourceQuota,
  freed: readonly Freed[],
  countedAt: ReadonlyMap<string, number>,
): Resources | undefined {
  // An object that has come into a scope was never charged there.
  if (scopesOf(quota).length > 0) return undefined;
  const before = quota.status?.used ?? {};
  const later = freed.filter(({ name, revision }) => revision > (countedAt.get(name) ?? Number.POSITIVE_INFINITY));
  const sum = later.reduce<Resources>((total, { usage }) => added(total, usage), {});
  const used = without(before, only(sum, Object.keys(before)));
  const isNegative = Object.keys(used).some((name) => compareQuantities(amountOf(used, name) ?? "0", "0") < 0);
  return later.length === 0 || isNegative ? undefined : used;
}
