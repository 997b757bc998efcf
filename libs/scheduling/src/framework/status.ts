/** What keeps a pod from a node, or from every node. Success has no value: an answer that is absent. */
export interface Rejection {
  /**
   * - `Unschedulable`: not now; making others go may help.
   * - `UnschedulableAndUnresolvable`: not now, and making others go does not help.
   * - `Pending`: something outside has to come; the pod is tried again at once when it does.
   * - `Error`: a fault; the cycle ends and the pod is tried again after its backoff.
   */
  readonly code: "Unschedulable" | "UnschedulableAndUnresolvable" | "Pending" | "Error";
  readonly plugin: string;
  readonly reasons: readonly string[];
}

/** A plugin that has nothing to do with this pod. */
export interface Skip {
  readonly code: "Skip";
}
export const skip: Skip = { code: "Skip" };

/** Of permit: the pod may go on when somebody allows it, `ms` from now at the latest. */
export interface Wait {
  readonly code: "Wait";
  readonly ms: number;
}

/** Where preemption may help. */
export const unschedulable = (plugin: string, ...reasons: readonly string[]): Rejection => ({
  code: "Unschedulable",
  plugin,
  reasons,
});

export const unresolvable = (plugin: string, ...reasons: readonly string[]): Rejection => ({
  code: "UnschedulableAndUnresolvable",
  plugin,
  reasons,
});

export const failed = (plugin: string, ...reasons: readonly string[]): Rejection => ({
  code: "Error",
  plugin,
  reasons,
});

export const messageOf = ({ reasons }: Rejection): string => reasons.join(", ");
