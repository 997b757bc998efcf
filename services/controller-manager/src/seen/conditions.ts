/** A condition of a status; times as the wire has them. */
export interface SeenCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
}

interface WithConditions {
  readonly status?: { readonly conditions?: readonly SeenCondition[] };
}

export function conditionOf({ status }: WithConditions, type: string): SeenCondition | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

export const isReady = (object: WithConditions): boolean => conditionOf(object, "Ready")?.status === "True";
