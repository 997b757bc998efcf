import type { ResourceName } from "@orch/status/api-error.js";

/** `deployments.apps` → deployments of apps; `*.` → all of the core group; `*.*` → all of all. */
export function parseGroupResource(text: string): ResourceName {
  const dot = text.indexOf(".");
  return dot < 0 ? { resource: text, group: "" } : { resource: text.slice(0, dot), group: text.slice(dot + 1) };
}

export function showGroupResource({ resource, group }: ResourceName): string {
  return group === "" ? resource : `${resource}.${group}`;
}

export const isWildcard = ({ resource }: ResourceName): boolean => resource === "*";

/** Whether a wildcard takes another name in. */
export function covers(wildcard: ResourceName, other: ResourceName): boolean {
  if (!isWildcard(wildcard)) return false;
  return wildcard.group === "*" || wildcard.group === other.group;
}
