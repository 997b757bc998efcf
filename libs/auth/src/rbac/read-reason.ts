import { readJson } from "@orch/status/read-json.js";

/** What an RBAC decision's reason names. */
export interface RbacReason {
  readonly binding: { readonly kind: string; readonly name: string; readonly namespace: string };
  readonly role: { readonly kind: string; readonly name: string };
  readonly subject: { readonly kind: string; readonly name: string; readonly namespace: string };
}

const text = '"((?:[^"\\\\]|\\\\.)*)"';
const sentence = new RegExp(
  `^RBAC: allowed by (ClusterRoleBinding|RoleBinding) ${text} of (ClusterRole|Role) ${text} to (User|Group|ServiceAccount) ${text}$`,
);
/** A user's name may be of any length: one that long is not taken apart. */
const longest = 4096;

/**
 * Reads what `reasons.ts` (and the reference) writes: `RBAC: allowed by RoleBinding "b/ns" of Role "r" to ServiceAccount "a/ns"`.
 * Undefined for the reason of another authorizer.
 */
export function readReason(reason: string): RbacReason | undefined {
  const parts = reason.length > longest ? null : sentence.exec(reason);
  if (parts === null) return undefined;
  const [, binding = "", bindingName = "", role = "", roleName = "", subject = "", subjectName = ""] = parts;
  return {
    binding: { kind: binding, ...named(bindingName, binding === "RoleBinding") },
    role: { kind: role, name: unquoted(roleName) },
    subject: { kind: subject, ...named(subjectName, subject === "ServiceAccount") },
  };
}

/** Of what has a namespace the name comes first; names of RBAC objects have no slash. */
function named(quoted: string, namespaced: boolean): { readonly name: string; readonly namespace: string } {
  const whole = unquoted(quoted);
  const slash = namespaced ? whole.lastIndexOf("/") : -1;
  return slash < 0
    ? { name: whole, namespace: "" }
    : { name: whole.slice(0, slash), namespace: whole.slice(slash + 1) };
}

function unquoted(quoted: string): string {
  try {
    return String(readJson(`"${quoted}"`));
  } catch {
    return quoted;
  }
}
