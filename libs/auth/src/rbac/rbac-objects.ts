import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import type { AnyObject } from "@orch/api/object.js";
import { isJsonObject, type JsonObject } from "../json.js";

/** A Role, or a ClusterRole where `namespace` is empty. */
export interface RoleRecord {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

/** A RoleBinding, or a ClusterRoleBinding where `namespace` is empty. */
export interface BindingRecord {
  readonly namespace: string;
  readonly name: string;
  readonly role: { readonly kind: string; readonly name: string };
  readonly subjects: readonly SubjectRecord[];
}

export interface SubjectRecord {
  readonly kind: string;
  readonly name: string;
  /** Of a service account; empty: that of its binding. */
  readonly namespace: string;
}

/** What of an object decides. What stands there in a wrong form grants nothing: a store may have been written by hand. */
export function roleRecord(object: AnyObject, namespace: string): RoleRecord {
  return { namespace, name: object.metadata.name ?? "", rules: itemsOf(object["rules"]).map(policyRule) };
}

/** As {@link roleRecord}. */
export function bindingRecord(object: AnyObject, namespace: string): BindingRecord {
  const ref = fieldsOf(object["roleRef"]);
  return {
    namespace,
    name: object.metadata.name ?? "",
    role: { kind: textOf(ref["kind"]), name: textOf(ref["name"]) },
    subjects: itemsOf(object["subjects"]).map((subject) => ({
      kind: textOf(subject["kind"]),
      name: textOf(subject["name"]),
      namespace: textOf(subject["namespace"]),
    })),
  };
}

const none: JsonObject = {};

function fieldsOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : none;
}

function itemsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const ruleFields = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"] as const;

/** A list that is none leaves the whole rule without effect: names that cannot be read must not mean every name. */
function policyRule(given: JsonObject): PolicyRule {
  const rule: { [field in (typeof ruleFields)[number]]?: readonly string[] } = {};
  for (const field of ruleFields) {
    const value = given[field];
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value) || !value.every((word) => typeof word === "string")) return {};
    if (value.length > 0) rule[field] = value;
  }
  return rule;
}
