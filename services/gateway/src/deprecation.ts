import type { Kind } from "@orch/api/catalog.js";
import { compareReleases } from "@orch/api/versions.js";

/** What the signals on a deprecated endpoint say (rules: Signals on deprecated endpoints). */
export interface Deprecation {
  /** `policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+; use policy/v1 PodDisruptionBudget`. */
  readonly warning: string;
  /** `1.22`; "" where none is announced. */
  readonly removedRelease: string;
}

/** Undefined for a kind whose version is not deprecated at the release. */
export function deprecationOf(kind: Kind, release: string): Deprecation | undefined {
  if (kind.deprecation !== undefined) return { warning: kind.deprecation, removedRelease: "" };
  const { deprecated, removed, replacement } = kind.release;
  if (deprecated === undefined || compareReleases(deprecated, release) > 0) return undefined;
  const until = removed === undefined ? "" : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? "" : `; use ${replacement}`;
  return {
    warning: `${kind.apiVersion} ${kind.kind} is deprecated in v${deprecated}+${until}${instead}`,
    removedRelease: removed ?? "",
  };
}
