import type { Naming } from "@orch/naming/naming.js";
import type { PolicyRule } from "../types.js";

/** Rules by the name of their role. */
export type RulesByRole = Readonly<Record<string, readonly PolicyRule[]>>;

/** Where the policy names several verbs, resources, groups, names or paths, they are words with spaces between them. */
export const read = "get list watch";
export const write = "create delete deletecollection patch update";
export const readWrite = `${read} ${write}`;
export const readUpdate = `${read} patch update`;

/** Of the core group where no other is named. */
export function allow(verbs: string, resources: string, groups = ""): PolicyRule {
  return { verbs: sorted(verbs), apiGroups: sorted(groups), resources: sorted(resources) };
}

/** The rule, for objects of these names alone. */
export function named(names: string, rule: PolicyRule): PolicyRule {
  return { ...rule, resourceNames: sorted(names) };
}

export function allowPaths(verbs: string, paths: string): PolicyRule {
  return { verbs: sorted(verbs), nonResourceURLs: sorted(paths) };
}

/** Telling what happens, as whatever works for the cluster may. */
export function tellEvents(naming: Naming): PolicyRule {
  return { ...allow("create patch update", "events"), apiGroups: ["", naming.group("events")] };
}

/** The order in which the reference prints what stands in a rule. */
function sorted(words: string): readonly string[] {
  return words.split(" ").sort();
}
