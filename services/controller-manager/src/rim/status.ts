import { wireTime } from "@orch/status/wire-time.js";

/** A condition of a workload's status. Times are RFC 3339. */
export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

export function conditionIn<C extends Condition>(conditions: readonly C[], type: string): C | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** In the place of the one of its type, or last; its transition is as old as its status. `now`: milliseconds since 1970. */
export function withCondition(
  conditions: readonly Condition[],
  condition: Pick<Condition, "type" | "status" | "reason" | "message">,
  now: number,
): readonly Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime =
    before !== undefined && before.status === condition.status ? before.lastTransitionTime : undefined;
  const next = { ...condition, lastTransitionTime: lastTransitionTime ?? wireTime(now) };
  return before === undefined
    ? [...conditions, next]
    : conditions.map((other) => (other.type === condition.type ? next : other));
}

export function withoutCondition<C extends Condition>(conditions: readonly C[], type: string): readonly C[] {
  return conditions.filter((condition) => condition.type !== type);
}
