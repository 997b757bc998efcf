import { autoUpdateKey } from "@orch/api/kinds/rbac/bootstrap/policy.js";
import type { Binding, ClusterRole, Subject } from "@orch/api/kinds/rbac/types.js";
import { sameMeaning } from "@orch/api/kinds/shared/same-meaning.js";
import type { AnyObject } from "@orch/api/object.js";
import { uncovered } from "@orch/auth/rbac/covers.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Righting } from "../write/kept-object.js";

/**
 * As the reference reconciles at its start: what the policy says is added where it is missing, and what users have added
 * stays, unless they have said that the object is theirs.
 */

/** A role with the rules, selectors, labels and annotations that it lacks. */
export function rightRole(wanted: ClusterRole, stored: AnyObject | undefined, naming: Naming): Righting | undefined {
  if (stored === undefined) return { object: wanted };
  if (isUsers(stored, naming)) return undefined;
  const role: ClusterRole = stored;
  const rules = [...(role.rules ?? []), ...(uncovered(role.rules ?? [], wanted.rules ?? [])?.missing ?? [])];
  const aggregationRule = rightAggregation(wanted, role);
  const metadata = rightMetadata(wanted, stored);
  const { aggregationRule: _old, ...rest } = stored;
  const right = { ...rest, metadata, rules, ...(aggregationRule === undefined ? {} : { aggregationRule }) };
  return unlessSame(right, stored);
}

/** The selectors that it lacks are added; what was made of others, and should not be, is so no more. */
function rightAggregation(wanted: ClusterRole, stored: ClusterRole): ClusterRole["aggregationRule"] {
  if (wanted.aggregationRule === undefined) return undefined;
  const there = stored.aggregationRule?.clusterRoleSelectors ?? [];
  const missing = (wanted.aggregationRule.clusterRoleSelectors ?? []).filter(
    (selector) => !there.some((other) => sameMeaning(other, selector)),
  );
  return { clusterRoleSelectors: [...there, ...missing] };
}

/** A binding with the subjects, labels and annotations that it lacks; made anew where it gives another role. */
export function rightBinding(wanted: Binding, stored: AnyObject | undefined, naming: Naming): Righting | undefined {
  if (stored === undefined) return { object: wanted };
  if (isUsers(stored, naming)) return undefined;
  const binding: Binding = stored;
  if (!sameMeaning(binding.roleRef, wanted.roleRef)) return { object: wanted, anew: true };
  const there = binding.subjects ?? [];
  const missing = (wanted.subjects ?? []).filter((subject) => !there.some((other) => isSameSubject(other, subject)));
  return unlessSame({ ...stored, metadata: rightMetadata(wanted, stored), subjects: [...there, ...missing] }, stored);
}

function isSameSubject(a: Subject, b: Subject): boolean {
  return (["kind", "apiGroup", "namespace", "name"] as const).every((part) => (a[part] ?? "") === (b[part] ?? ""));
}

/** What users say in labels and annotations goes before what the policy says. */
function rightMetadata({ metadata: wanted }: ClusterRole | Binding, { metadata }: AnyObject): AnyObject["metadata"] {
  return {
    ...metadata,
    labels: { ...wanted.labels, ...metadata.labels },
    annotations: { ...wanted.annotations, ...metadata.annotations },
  };
}

function isUsers({ metadata }: AnyObject, naming: Naming): boolean {
  return metadata.annotations?.[autoUpdateKey(naming)] === "false";
}

function unlessSame(right: AnyObject, stored: AnyObject): Righting | undefined {
  return sameMeaning(right, stored) ? undefined : { object: right };
}
