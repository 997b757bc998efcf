import { podTotals, type Usage } from "@orch/api/kinds/core/pod/totals.js";
import type { Pod } from "@orch/api/kinds/core/pod/types.js";
import type { Resources } from "@orch/api/kinds/core/resources.js";
import { nanoOf } from "@orch/schema/formats/quantity.js";
import type { Limit, LimitRange } from "./types.js";

/** Every limit of these ranges that a pod breaks, each a sentence; one that several containers break is told once. */
export function podProblems({ spec = {} }: Pod, ranges: readonly LimitRange[]): readonly string[] {
  const { containers = [], initContainers = [] } = spec;
  const usages = [...containers, ...initContainers].map(
    ({ resources }): Usage => ({ requests: resources?.requests ?? {}, limits: resources?.limits ?? {} }),
  );
  let total: Usage | undefined;
  const problems = limitsOf(ranges).flatMap((limit) => {
    if (limit.type === "Container") return usages.flatMap((usage) => usageProblems(limit, usage));
    if (limit.type !== "Pod") return [];
    total ??= podTotals(spec);
    return usageProblems(limit, total);
  });
  return [...new Set(problems)];
}

/** Every limit of these ranges that a claim breaks: of what it asks for, as claims have no limits. */
export function claimProblems(requests: Resources, ranges: readonly LimitRange[]): readonly string[] {
  const problems = limitsOf(ranges)
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((limit) => [
      ...each(limit.min, (place) => minimumProblem(place, { requests, limits: {} }), limit),
      ...each(limit.max, (place) => requestProblem(place, requests), limit),
    ]);
  return [...new Set(problems)];
}

function limitsOf(ranges: readonly LimitRange[]): readonly Limit[] {
  return ranges.flatMap(({ spec }) => spec?.limits ?? []);
}

function usageProblems(limit: Limit, usage: Usage): readonly string[] {
  return [
    ...each(limit.min, (place) => minimumProblem(place, usage), limit),
    ...each(limit.max, (place) => maximumProblem(place, usage), limit),
    ...each(limit.maxLimitRequestRatio, (place) => ratioProblem(place, usage), limit),
  ];
}

/** One resource of a limit. */
interface Bound {
  readonly name: string;
  readonly type: string;
  readonly amount: string;
}

function each(
  bounds: Resources | undefined,
  check: (bound: Bound) => string | undefined,
  { type = "" }: Limit,
): readonly string[] {
  return Object.entries(bounds ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, amount]) => check({ name, type, amount }) ?? []);
}

function amountOf(resources: Resources, name: string): string | undefined {
  return Object.hasOwn(resources, name) ? resources[name] : undefined;
}

function minimumProblem({ name, type, amount }: Bound, { requests, limits }: Usage): string | undefined {
  const text = `minimum ${name} usage per ${type} is ${amount}`;
  const [request, limit] = [amountOf(requests, name), amountOf(limits, name)];
  if (request === undefined) return `${text}.  No request is specified`;
  if (milli(request) < milli(amount)) return `${text}, but request is ${request}`;
  return limit !== undefined && milli(limit) < milli(amount) ? `${text}, but limit is ${limit}` : undefined;
}

function maximumProblem(bound: Bound, { requests, limits }: Usage): string | undefined {
  const { name, type, amount } = bound;
  const text = `maximum ${name} usage per ${type} is ${amount}`;
  const limit = amountOf(limits, name);
  if (limit === undefined) return `${text}.  No limit is specified`;
  if (milli(limit) > milli(amount)) return `${text}, but limit is ${limit}`;
  const request = amountOf(requests, name);
  return request !== undefined && milli(request) > milli(amount) ? `${text}, but request is ${request}` : undefined;
}

function requestProblem({ name, type, amount }: Bound, requests: Resources): string | undefined {
  const text = `maximum ${name} usage per ${type} is ${amount}`;
  const request = amountOf(requests, name);
  if (request === undefined) return `${text}.  No request is specified`;
  return milli(request) > milli(amount) ? `${text}, but request is ${request}` : undefined;
}

function ratioProblem({ name, type, amount }: Bound, { requests, limits }: Usage): string | undefined {
  const text = `${name} max limit to request ratio per ${type} is ${amount}, but`;
  const [request, limit] = [milli(amountOf(requests, name) ?? "0"), milli(amountOf(limits, name) ?? "0")];
  if (request === 0n) return `${text} no request is specified or request is 0`;
  if (limit === 0n) return `${text} no limit is specified or limit is 0`;
  const ratio = Number(limit) / Number(request);
  return ratio * 1000 > Number(milli(amount)) ? `${text} provided ratio is ${ratio.toFixed(6)}` : undefined;
}

const nanosOfMilli = 1_000_000n;

/** In thousandths, rounded up. */
function milli(quantity: string): bigint {
  const nano = nanoOf(quantity);
  return nano <= 0n ? nano / nanosOfMilli : (nano + nanosOfMilli - 1n) / nanosOfMilli;
}
