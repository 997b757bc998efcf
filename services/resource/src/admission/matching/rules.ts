import type { Kind } from "@orch/api/catalog.js";
import type { NamedRule } from "@orch/api/kinds/admissionregistration/types.js";
import type { Operation } from "./question.js";

/** What a rule is held against. */
export interface RuleSubject {
  readonly operation: Operation;
  readonly kind: Kind;
  readonly subresource: string;
}

/** Whether a rule is about writes of such a resource; names are for the write itself to have. */
export function ruleMatches(rule: NamedRule, { operation, kind, subresource }: RuleSubject): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope = "*" } = rule;
  return (
    has(operations, operation) &&
    has(apiGroups, kind.group) &&
    has(apiVersions, kind.version) &&
    scopeMatches(scope, kind) &&
    resources.some((pattern) => resourceMatches(pattern, kind.plural, subresource))
  );
}

function has(patterns: readonly string[], value: string): boolean {
  return patterns.includes("*") || patterns.includes(value);
}

function scopeMatches(scope: string, { namespaced }: Kind): boolean {
  return scope === "*" || scope === (namespaced ? "Namespaced" : "Cluster");
}

/** `pods` and `*` are about no subresource; a star behind the slash is about the resource itself, too. */
function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const own = slash < 0 ? pattern : pattern.slice(0, slash);
  const below = slash < 0 ? "" : pattern.slice(slash + 1);
  return (own === "*" || own === resource) && (below === "*" || below === subresource);
}
