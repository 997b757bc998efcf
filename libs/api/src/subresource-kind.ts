import type { Kind } from "./catalog.js";
import type { Subresource } from "./data-file.js";

export interface SubresourceKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What a subresource takes and answers: its resource's own kind, or one of another group. */
export function subresourceKind({ group, version }: Kind, { kind, apiVersion }: Subresource): SubresourceKind {
  if (apiVersion === undefined) return { group, version, kind };
  const slash = apiVersion.lastIndexOf("/");
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind };
}
