/** A pod as its node's agent knows it. */
export interface AgentPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  /** Of its containers of every sort. */
  readonly containers: readonly string[];
  /** Since when its containers run; undefined while they do not. */
  readonly runningSinceMs: number | undefined;
  readonly restarts: number;
  /** What a command that is tried in it ends with. */
  readonly execExitCode: number;
}

/** The pods of the nodes whose agent answers. */
export interface AgentPods {
  find(namespace: string, name: string): AgentPod | undefined;
  all(): Iterable<AgentPod>;
}
