import { compareQuantities } from "@orch/schema/formats/quantity.js";
import type { Resources } from "../kinds/core/resources.js";
import type { AnyObject } from "../object.js";
import { added, amountOf, amountsText, only, without, withoutZeros } from "./amounts.js";
import { type QuotaEvaluator, type ResourceQuota, type ScopeRequirement, scopesOf } from "./types.js";

/** Consumption that only those may have whom a quota allows it (the plugin's configuration). */
export interface LimitedResource {
  readonly group: string;
  readonly resource: string;
  /** Of resources whose name has one of these in it. */
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly ScopeRequirement[];
}

/** A new state of an object. */
export interface Counted {
  readonly evaluator: QuotaEvaluator;
  readonly object: AnyObject;
  /** Undefined for a new object. */
  readonly old: AnyObject | undefined;
  /** Of its resource. */
  readonly limited: readonly LimitedResource[];
  /** What it was charged with already, in an earlier try of the same change; of the whole object. */
  readonly charged?: Resources | undefined;
  readonly now: number;
}

/** What quotas say of a new state: each that is refused by one says so; `raised` are those whose use grows. */
export type QuotaDecision =
  | { readonly type: "allowed"; readonly raised: readonly RaisedQuota[] }
  | { readonly type: "refused"; readonly why: string };

export interface RaisedQuota {
  readonly quota: ResourceQuota;
  readonly used: Resources;
}

const free: QuotaDecision = { type: "allowed", raised: [] };

/** `quotas`: of the namespace, in the order in which they are asked. */
export function decideQuotas(quotas: readonly ResourceQuota[], counted: Counted): QuotaDecision {
  const { evaluator, object, old, limited, now } = counted;
  const pertinent: ResourceQuota[] = [];
  const covered = new Set<string>();
  for (const quota of quotas) {
    const names = evaluator.matching(Object.keys(hardOf(quota)));
    if (names.length === 0 || !scopesOf(quota).every((scope) => evaluator.isIn(scope, object))) continue;
    const missing = evaluator.missing(names, object);
    if (missing !== undefined) return refused(`failed quota: ${quota.metadata.name}: ${missing}`);
    const unknown = names.filter((name) => amountOf(usedOf(quota), name) === undefined);
    if (unknown.length > 0) {
      return refused(`status unknown for quota: ${quota.metadata.name}, resources: ${[...names].sort().join(",")}`);
    }
    for (const name of names) covered.add(name);
    pertinent.push(quota);
  }
  const uncovered = limited.length === 0 ? undefined : uncoveredText(quotas, covered, counted);
  if (uncovered !== undefined) return refused(uncovered);
  if (pertinent.length === 0) return free;
  const usage = evaluator.usage(object, now);
  const negative = Object.keys(usage).filter((name) => compareQuantities(amountOf(usage, name) ?? "0", "0") < 0);
  if (negative.length > 0) return refused(`quota usage is negative for resource(s): ${negative.sort().join(",")}`);
  const before = counted.charged ?? (old === undefined ? {} : evaluator.usage(old, now));
  const delta = withoutZeros(without(usage, before));
  return charged(pertinent, delta);
}

/** What the quotas say of this much more; of what becomes less none has anything to say. */
function charged(quotas: readonly ResourceQuota[], delta: Resources): QuotaDecision {
  const raised: RaisedQuota[] = [];
  for (const quota of quotas) {
    const [hard, used] = [hardOf(quota), usedOf(quota)];
    const requested = only(delta, Object.keys(hard));
    const names = Object.keys(requested);
    if (names.length === 0) continue;
    const next = added(used, requested);
    const exceeded = names.filter(
      (name) =>
        compareQuantities(amountOf(requested, name) ?? "0", "0") > 0 &&
        compareQuantities(amountOf(next, name) ?? "0", amountOf(hard, name) ?? "0") > 0,
    );
    if (exceeded.length > 0) {
      const text = (amounts: Resources): string => amountsText(only(amounts, exceeded));
      return refused(
        `exceeded quota: ${quota.metadata.name}, requested: ${text(requested)}, used: ${text(used)}, limited: ${text(hard)}`,
      );
    }
    raised.push({ quota, used: next });
  }
  return raised.length === 0 ? free : { type: "allowed", raised };
}

/** What the configuration allows nobody whom no quota does. */
function uncoveredText(
  quotas: readonly ResourceQuota[],
  covered: ReadonlySet<string>,
  { evaluator, object, limited, now }: Counted,
): string | undefined {
  const usage = Object.entries(evaluator.usage(object, now)).filter(([, amount]) => compareQuantities(amount, "0") > 0);
  const names = usage
    .map(([name]) => name)
    .filter((name) => limited.some(({ matchContains }) => matchContains.some((part) => name.includes(part))))
    .filter((name) => !covered.has(name))
    .sort();
  if (names.length > 0) return `insufficient quota to consume: ${names.join(",")}`;
  const allowed = new Set(
    quotas.flatMap((quota) =>
      scopesOf(quota)
        .filter((scope) => evaluator.isIn(scope, object))
        .map(scopeText),
    ),
  );
  const scopes = limited
    .flatMap(({ matchScopes }) => matchScopes)
    .filter((scope) => evaluator.isIn(scope, object) && !allowed.has(scopeText(scope)));
  if (scopes.length === 0) return undefined;
  const texts = scopes.map(
    ({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(" ")}]}`,
  );
  return `insufficient quota to match these scopes: [${texts.join(" ")}]`;
}

/** Scopes are told apart by their name alone. */
function scopeText({ scopeName = "" }: ScopeRequirement): string {
  return scopeName;
}

export function hardOf({ status }: ResourceQuota): Resources {
  return status?.hard ?? {};
}

export function usedOf({ status }: ResourceQuota): Resources {
  return status?.used ?? {};
}

function refused(why: string): QuotaDecision {
  return { type: "refused", why };
}
