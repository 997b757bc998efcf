import type { Deployment } from "./types.js";

/** How far a rolling update may go beyond its replicas, in pods. */
export interface Fenceposts {
  readonly surge: number;
  readonly unavailable: number;
}

/** `25%` of 10, rounded up or down. */
export function partOf(value: number | string, total: number, round: (part: number) => number): number {
  if (typeof value === "number") return value;
  const percent = /^([0-9]{1,9})%$/.exec(value)?.[1];
  return percent === undefined ? 0 : round((Number(percent) * total) / 100);
}

/** A part of the surge is a pod, a part of the unavailable none; where both are none, one may be unavailable. */
export function resolveFenceposts(
  maxSurge: number | string,
  maxUnavailable: number | string,
  replicas: number,
): Fenceposts {
  const surge = partOf(maxSurge, replicas, Math.ceil);
  const unavailable = partOf(maxUnavailable, replicas, Math.floor);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

/** Of a deployment: only a rolling update has any. */
export function fencepostsOf(deployment: Deployment): Fenceposts {
  const { spec } = deployment;
  const { maxSurge = 0, maxUnavailable = 0 } = spec?.strategy?.rollingUpdate ?? {};
  if (!isRolling(deployment)) return { surge: 0, unavailable: 0 };
  const replicas = spec?.replicas ?? 1;
  const { surge, unavailable } = resolveFenceposts(maxSurge, maxUnavailable, replicas);
  return { surge, unavailable: Math.min(unavailable, replicas) };
}

export function isRolling({ spec }: Deployment): boolean {
  return spec?.strategy?.type !== "Recreate";
}
