import { releasesSince } from "../release.js";

/** How long a metric's name and labels are promised (rules: Deprecation rules, 9). */
export type Stability = "ALPHA" | "BETA" | "STABLE";

/** Releases in which a deprecated metric is still shown. */
const shownFor: Readonly<Record<Stability, number>> = { STABLE: 3, BETA: 1, ALPHA: 0 };

/**
 * What has become of a metric: `shown`, `deprecated` (shown with a notice), `hidden` (one release long, can be
 * asked back) and at last `deleted`.
 */
export type MetricState = "shown" | "deprecated" | "hidden" | "deleted";

/** A STABLE metric deprecated in 1.29 is hidden in 1.32 and deleted in 1.33. */
export function metricState(
  metric: { readonly stability: Stability; readonly deprecatedSince?: string },
  release: string,
): MetricState {
  if (metric.deprecatedSince === undefined) return "shown";
  const age = releasesSince(metric.deprecatedSince, release);
  if (age < 0) return "shown";
  const term = shownFor[metric.stability];
  if (age < term) return "deprecated";
  return age === term ? "hidden" : "deleted";
}
