/** Where a pod stands in its life. */
export const points = ["Waiting", "Running", "Ready", "Unready", "BackOff", "Ended", "Terminating"] as const;
export type Point = (typeof points)[number];

/** Where a stage may lead. */
export const targets = ["Running", "Ready", "Unready", "Ended", "Deleted"] as const;
export type Target = (typeof targets)[number];

/** What pods of a sort do at a point of their life. */
export interface Stage {
  readonly name: string;
  readonly at: Point;
  readonly to: Target;
  /** Milliseconds from when a pod came to the point; up to `jitterMs` more, which differs from pod to pod. */
  readonly afterMs: number;
  readonly jitterMs: number;
  /** Of the containers, where it leads to their end. */
  readonly exitCode: number;
  readonly selector: StageSelector;
}

/** Every part that is there must fit. */
export interface StageSelector {
  readonly namespaces: readonly string[];
  /** Of the owner that controls the pod. */
  readonly ownerKinds: readonly string[];
  readonly matchLabels: Readonly<Record<string, string>>;
}

/** Whose stage it may be. */
export interface Selected {
  readonly namespace: string;
  readonly ownerKind: string;
  readonly labels: Readonly<Record<string, string>>;
}

export function selects({ namespaces, ownerKinds, matchLabels }: StageSelector, pod: Selected): boolean {
  if (namespaces.length > 0 && !namespaces.includes(pod.namespace)) return false;
  if (ownerKinds.length > 0 && !ownerKinds.includes(pod.ownerKind)) return false;
  return Object.entries(matchLabels).every(([key, value]) => pod.labels[key] === value);
}

const everything: StageSelector = { namespaces: [], ownerKinds: [], matchLabels: {} };
const at = (name: string, from: Point, to: Target, afterMs: number): Stage => ({
  ...{ name, at: from, to, afterMs },
  ...{ jitterMs: 0, exitCode: 0, selector: everything },
});

/** What pods do of which no stage of a file says anything: they start, are ready, and stay so. */
export const usualStages = (startMs: number): readonly Stage[] => [
  at("start", "Waiting", "Running", startMs),
  at("become-ready", "Running", "Ready", 0),
];
