import type { Job } from "../jobs/types.js";
import { timeOf } from "../rim/objects.js";

/** Milliseconds since 1970 at which a job that is over is to go; undefined for one that stays. */
export function expiryOf({ metadata, spec, status }: Job): number | undefined {
  const ttl = spec?.ttlSecondsAfterFinished;
  if (ttl === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const over = status?.conditions?.find(
    ({ type, status: is }) => (type === "Complete" || type === "Failed") && is === "True",
  );
  return over === undefined ? undefined : timeOf(over.lastTransitionTime) + ttl * 1000;
}
