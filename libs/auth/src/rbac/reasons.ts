import type { Decision } from "../authorizer.js";
import type { BindingRecord } from "./rbac-objects.js";
import { type SubjectId, subjectId } from "./subjects.js";

/** What a denial tells of missing roles at most. */
export const maxProblems = 100;

/** Of a role that a binding names and that is not there. */
export function missing(kind: string, name: string, group: string): string {
  if (kind !== "Role" && kind !== "ClusterRole") return `unsupported role reference kind: ${JSON.stringify(kind)}`;
  return `${kind.toLowerCase()}.${group} ${JSON.stringify(name)} not found`;
}

/** The reason is made when somebody reads it: requests that pass have no use for it. */
export function allowed(binding: BindingRecord, id: SubjectId): Decision {
  return {
    outcome: "allow",
    get reason() {
      return `RBAC: allowed by ${described(binding, id)}`;
    },
  };
}

/** As the reference has it: `RoleBinding "b/ns" of Role "r" to ServiceAccount "a/ns"`, names first. */
function described({ namespace, name, role, subjects }: BindingRecord, id: SubjectId): string {
  const what =
    namespace === "" ? `ClusterRoleBinding ${quoted(name)}` : `RoleBinding ${quoted(`${name}/${namespace}`)}`;
  const subject = subjects.find((each) => {
    const one = subjectId(each, namespace);
    return one?.of === id.of && one.name === id.name;
  });
  const account = subject?.kind === "ServiceAccount";
  const whom = account ? `${subject.name}/${subject.namespace === "" ? namespace : subject.namespace}` : id.name;
  return `${what} of ${role.kind} ${quoted(role.name)} to ${subject?.kind ?? ""} ${quoted(whom)}`;
}

const quoted = (text: string): string => JSON.stringify(text);

/** Several in brackets; too many are not all told. */
export function told(problems: ReadonlySet<string>): string {
  const some = [...problems].slice(0, maxProblems);
  if (some.length <= 1) return some[0] ?? "";
  return `[${some.join(", ")}]`;
}
