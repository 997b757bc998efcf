import { equalJson } from "@orch/schema/equal.js";
import { dnsSubdomain, pathSegment } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { type BehaviorOf, behavior } from "../../behavior.js";
import { invalidFor } from "../shared/problems.js";
import type { Binding, RoleRef, Subject } from "./types.js";

export const roleBinding = bindingTo(["Role", "ClusterRole"], { namespaced: true });
export const clusterRoleBinding = bindingTo(["ClusterRole"], { namespaced: false });

interface Scope {
  readonly namespaced: boolean;
}

function bindingTo(kinds: readonly string[], scope: Scope): BehaviorOf {
  return behavior<Binding>((naming) => {
    const group = naming.group("rbac.authorization");
    return {
      setDefaults: (object) => withGroups(object, group),
      validate: ({ roleRef = {}, subjects = [] }) => [
        ...validateRoleRef(roleRef, kinds, group),
        ...subjects.flatMap((subject, i) => validateSubject(subject, { at: `subjects[${i}]`, group, scope })),
      ],
      validateUpdate: ({ roleRef = {} }, old) =>
        equalJson(roleRef, old.roleRef ?? {}) ? [] : [fieldError.invalid("roleRef", roleRef, "cannot change roleRef")],
    };
  });
}

/** Roles, users and groups belong to the group of this interface, service accounts to the core. */
function withGroups(object: Binding, group: string): Binding {
  const { roleRef = {}, subjects } = object;
  const filled = subjects?.map((subject) =>
    (subject.apiGroup ?? "") === "" && (subject.kind === "User" || subject.kind === "Group")
      ? { ...subject, apiGroup: group }
      : subject,
  );
  return {
    ...object,
    roleRef: (roleRef.apiGroup ?? "") === "" ? { ...roleRef, apiGroup: group } : roleRef,
    ...(filled === undefined ? {} : { subjects: filled }),
  };
}

function validateRoleRef({ apiGroup = "", kind = "", name = "" }: RoleRef, kinds: readonly string[], group: string) {
  return [
    ...(apiGroup === group ? [] : [fieldError.notSupported("roleRef.apiGroup", apiGroup, [group])]),
    ...(kinds.includes(kind) ? [] : [fieldError.notSupported("roleRef.kind", kind, kinds)]),
    ...(name === "" ? [fieldError.required("roleRef.name")] : invalidFor("roleRef.name", name, pathSegment(name))),
  ];
}

interface SubjectPlace {
  readonly at: string;
  readonly group: string;
  readonly scope: Scope;
}

function validateSubject(subject: Subject, { at, group, scope }: SubjectPlace): FieldError[] {
  const { kind = "", apiGroup = "", name = "", namespace = "" } = subject;
  const errors = name === "" ? [fieldError.required(`${at}.name`)] : [];
  switch (kind) {
    case "ServiceAccount":
      if (name !== "") errors.push(...invalidFor(`${at}.name`, name, dnsSubdomain(name)));
      if (apiGroup !== "") errors.push(fieldError.notSupported(`${at}.apiGroup`, apiGroup, [""]));
      if (!scope.namespaced && namespace === "") errors.push(fieldError.required(`${at}.namespace`));
      return errors;
    case "User":
    case "Group":
      if (apiGroup !== group) errors.push(fieldError.notSupported(`${at}.apiGroup`, apiGroup, [group]));
      return errors;
    default:
      return [...errors, fieldError.notSupported(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
}
