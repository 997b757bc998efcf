import type { Binding, PolicyRule, Subject } from "@orch/api/kinds/rbac/types.js";
import type { Attributes } from "../../authorizer.js";
import type { UserInfo } from "../../user.js";
import type { Entry } from "./policy.js";

/** Whether plain objects allow a request: all of them looked through, word by word, as the rules are described. */
export function naivelyAllowed(entries: readonly Entry[], attributes: Attributes): boolean {
  const namespace = attributes.kind === "path" ? "" : attributes.namespace;
  return entries.some(({ resource, object }) => {
    const of = object.metadata.namespace ?? "";
    const counts = resource === "clusterrolebindings" || (resource === "rolebindings" && of === namespace);
    if (!counts || !(object.subjects ?? []).some((one) => isSubject(one, attributes.user, of))) return false;
    return rulesOf(entries, object).some((rule) => ruleAllows(rule, attributes));
  });
}

function rulesOf(entries: readonly Entry[], { metadata, roleRef }: Binding): readonly PolicyRule[] {
  const found = entries.find(({ resource, object }) => {
    if (object.metadata.name !== roleRef?.name) return false;
    if (roleRef?.kind === "ClusterRole") return resource === "clusterroles";
    return roleRef?.kind === "Role" && resource === "roles" && object.metadata.namespace === metadata.namespace;
  });
  return found?.object.rules ?? [];
}

function isSubject({ kind, name, namespace }: Subject, user: UserInfo, bindingNamespace: string): boolean {
  if (kind === "User") return user.name === name;
  if (kind === "Group") return user.groups.some((group) => group === name);
  if (kind !== "ServiceAccount") return false;
  const of = namespace ?? bindingNamespace;
  return of !== "" && user.name === `system:serviceaccount:${of}:${name}`;
}

function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const among = (words: readonly string[], word: string): boolean => words.some((one) => one === "*" || one === word);
  if (!among(verbs, attributes.verb)) return false;
  if (attributes.kind === "path") {
    const { path } = attributes;
    return nonResourceURLs.some((url) => url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1))));
  }
  const { group, resource, subresource, name } = attributes;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const fits = resources.some(
    (one) => one === "*" || one === full || (subresource !== "" && one === `*/${subresource}`),
  );
  return among(apiGroups, group) && fits && (resourceNames.length === 0 || resourceNames.includes(name));
}
