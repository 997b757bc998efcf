import type { Resources } from "@orch/api/kinds/core/resources.js";
import type { AnyObject } from "@orch/api/object.js";
import { added, amountOf, only, without } from "@orch/api/quota/amounts.js";
import type { QuotaEvaluator } from "@orch/api/quota/types.js";
import { type ResourceQuota, scopesOf } from "@orch/api/quota/types.js";
import { compareQuantities } from "@orch/schema/formats/quantity.js";

/** All objects of one resource in a namespace. */
export interface Population {
  readonly evaluator: QuotaEvaluator;
  readonly objects: readonly AnyObject[];
}

/** What these objects use of what a quota limits: of each resource something, be it nothing. */
export function usedBy(quota: ResourceQuota, populations: readonly Population[], now: number): Resources {
  const names = Object.keys(quota.spec?.hard ?? {});
  const scopes = scopesOf(quota);
  let used: Resources = Object.fromEntries(names.map((name) => [name, "0"]));
  for (const { evaluator, objects } of populations) {
    const matching = evaluator.matching(names);
    if (matching.length === 0) continue;
    for (const object of objects) {
      if (!scopes.every((scope) => evaluator.isIn(scope, object))) continue;
      used = added(used, only(evaluator.usage(object, now), matching));
    }
  }
  return used;
}

/**
 * What is used once everything is written that was admitted: what was counted, and what was raised since the count began.
 * Some of that may have been counted, too, and is taken off by the next count.
 */
export function withRaised(counted: Resources, before: Resources, since: Resources): Resources {
  const raised = Object.entries(without(since, before)).filter(
    ([name, amount]) => amountOf(before, name) !== undefined && compareQuantities(amount, "0") > 0,
  );
  return added(counted, only(Object.fromEntries(raised), Object.keys(counted)));
}
