import type { Behavior, ScalingPolicy, ScalingRules } from "./types.js";

/** A number of replicas that was proposed or a change that was made; times in milliseconds since 1970. */
export interface Recommendation {
  readonly replicas: number;
  readonly at: number;
}
export interface ScaleChange {
  /** Pods more, or fewer. */
  readonly change: number;
  readonly at: number;
}

/** What is remembered of a target. */
export interface Memory {
  readonly recommendations: readonly Recommendation[];
  readonly ups: readonly ScaleChange[];
  readonly downs: readonly ScaleChange[];
}

export const nothingRemembered: Memory = { recommendations: [], ups: [], downs: [] };

export interface Bounds {
  readonly current: number;
  readonly min: number;
  readonly max: number;
  /** Where the autoscaler does not say its own: how long the highest proposal holds before shrinking. */
  readonly downWindowMs: number;
  readonly now: number;
}

/** A reason and its message, as conditions have them. */
export interface Told {
  readonly reason: string;
  readonly message: string;
}

/** What is left of a proposal. */
export interface Limited {
  readonly replicas: number;
  readonly able: Told;
  readonly limited: Told & { readonly is: boolean };
  /** Proposals that still count at a later time. */
  readonly recommendations: readonly Recommendation[];
}

const ready: Told = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const stabilizedDown: Told = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const stabilizedUp: Told = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const inRange = {
  ...{ reason: "DesiredWithinRange", message: "the desired count is within the acceptable range" },
  is: false,
};
const limitedBy = (reason: string, message: string) => ({ reason, message, is: true });
const tooFew = limitedBy("TooFewReplicas", "the desired replica count is less than the minimum replica count");
const zero = limitedBy("TooFewReplicas", "the desired replica count is zero");
const tooMany = limitedBy("TooManyReplicas", "the desired replica count is more than the maximum replica count");
const tooFast = limitedBy("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate");
const tooFastDown = limitedBy(
  "ScaleDownLimit",
  "the desired replica count is decreasing faster than the maximum scale rate",
);

/** At most twice as many at once, and four at least, where the autoscaler says nothing else. */
const defaultGrowth = (current: number): number => Math.max(2 * current, 4);
const longestWindowMs = 3_600_000;

/** A proposal within what the windows, the rates and the bounds allow. */
export function limit(proposed: number, behavior: Behavior | undefined, memory: Memory, bounds: Bounds): Limited {
  const recommendations = [
    ...memory.recommendations.filter(({ at }) => at > bounds.now - longestWindowMs),
    { replicas: proposed, at: bounds.now },
  ];
  const stable = stabilized(proposed, behavior, { ...memory, recommendations }, bounds);
  const { replicas, ...limited } =
    behavior === undefined
      ? withinBounds(stable.replicas, bounds)
      : withinRates(stable.replicas, behavior, memory, bounds);
  return { replicas, limited, able: stable.able, recommendations };
}

const windowMs = ({ stabilizationWindowSeconds }: ScalingRules = {}, otherwiseMs: number): number =>
  stabilizationWindowSeconds === undefined ? otherwiseMs : stabilizationWindowSeconds * 1000;

/** Growing waits for the lowest proposal of its window, shrinking for the highest. */
function stabilized(
  proposed: number,
  behavior: Behavior | undefined,
  { recommendations }: Memory,
  { current, downWindowMs, now }: Bounds,
): { readonly replicas: number; readonly able: Told } {
  const upFrom = now - windowMs(behavior?.scaleUp, 0);
  const downFrom = now - windowMs(behavior?.scaleDown, downWindowMs);
  let [lowest, highest] = [proposed, proposed];
  for (const { replicas, at } of recommendations) {
    if (at > upFrom) lowest = Math.min(lowest, replicas);
    if (at > downFrom) highest = Math.max(highest, replicas);
  }
  const kept = behavior === undefined ? highest : Math.min(Math.max(current, lowest), highest);
  const replicas = kept;
  if (replicas === proposed) return { replicas, able: ready };
  return { replicas, able: replicas > proposed ? stabilizedDown : stabilizedUp };
}

type Outcome = Limited["limited"] & { readonly replicas: number };

function withinBounds(wanted: number, { current, min, max }: Bounds): Outcome {
  const fastest = defaultGrowth(current);
  const [most, why] = max > fastest ? [fastest, tooFast] : [max, tooMany];
  if (wanted < min) return { replicas: min, ...(min === 0 ? zero : tooFew) };
  return wanted > most ? { replicas: most, ...why } : { replicas: wanted, ...inRange };
}

function withinRates(
  wanted: number,
  { scaleUp = {}, scaleDown = {} }: Behavior,
  memory: Memory,
  bounds: Bounds,
): Outcome {
  const { current, min, max } = bounds;
  if (wanted > current) {
    const fastest = Math.max(current, mostReplicas(scaleUp, memory, bounds));
    const [most, why] = max > fastest ? [fastest, tooFast] : [max, tooMany];
    return wanted > most ? { replicas: most, ...why } : { replicas: wanted, ...inRange };
  }
  if (wanted < current) {
    const slowest = Math.min(current, leastReplicas(scaleDown, memory, bounds));
    const [least, why] = min < slowest ? [slowest, tooFastDown] : [min, tooFew];
    return wanted < least ? { replicas: least, ...why } : { replicas: wanted, ...inRange };
  }
  return { replicas: wanted, ...inRange };
}

const sumSince = (changes: readonly ScaleChange[], { periodSeconds }: ScalingPolicy, now: number): number =>
  changes.reduce((sum, { change, at }) => (at > now - periodSeconds * 1000 ? sum + change : sum), 0);

/** What policies allow: the most or, as they may say, the least of what each does. */
function chosen(rules: ScalingRules, allowed: readonly number[], most: "max" | "min"): number {
  return (rules.selectPolicy === "Min") === (most === "max") ? Math.min(...allowed) : Math.max(...allowed);
}

function mostReplicas(rules: ScalingRules, { ups, downs }: Memory, { current, now }: Bounds): number {
  if (rules.selectPolicy === "Disabled") return current;
  const policies = rules.policies ?? [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ];
  const allowed = policies.map((policy) => {
    const before = current - sumSince(ups, policy, now) + sumSince(downs, policy, now);
    return policy.type === "Pods" ? before + policy.value : Math.ceil(before * (1 + policy.value / 100));
  });
  return chosen(rules, allowed, "max");
}

function leastReplicas(rules: ScalingRules, { ups, downs }: Memory, { current, now }: Bounds): number {
  if (rules.selectPolicy === "Disabled") return current;
  const policies = rules.policies ?? [{ type: "Percent", value: 100, periodSeconds: 15 }];
  const allowed = policies.map((policy) => {
    const before = current - sumSince(ups, policy, now) + sumSince(downs, policy, now);
    return policy.type === "Pods" ? before - policy.value : Math.trunc(before * (1 - policy.value / 100));
  });
  return chosen(rules, allowed, "min");
}
