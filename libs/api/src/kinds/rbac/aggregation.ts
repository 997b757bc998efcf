import { compileSelector } from "../shared/label-selector.js";
import type { ClusterRole, PolicyRule } from "./types.js";

/**
 * The rules of a role that is made of others: those of the roles that its selectors match, selector by selector, each
 * role's in the order of names, none twice. Undefined for a role that is made of no others.
 */
export function aggregatedRules(role: ClusterRole, others: Iterable<ClusterRole>): readonly PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const byName = [...others].filter((other) => nameOf(other) !== nameOf(role)).sort(compareNames);
  const rules = new Map<string, PolicyRule>();
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const matcher = compileSelector(selector);
    if (matcher === undefined) continue;
    for (const other of byName) {
      if (!matcher.matches(other.metadata.labels)) continue;
      for (const rule of other.rules ?? []) {
        const key = keyOf(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
}

/** Whether two roles' rules are the same, one by one. */
export function sameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return a.length === b.length && a.every((rule, i) => rule === b[i] || keyOf(rule) === keyOf(b[i] ?? {}));
}

function keyOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((words) => words ?? []));
}

const nameOf = ({ metadata }: ClusterRole): string => metadata.name ?? "";

function compareNames(a: ClusterRole, b: ClusterRole): number {
  const [one, other] = [nameOf(a), nameOf(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}
