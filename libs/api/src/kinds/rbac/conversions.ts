import type { Naming } from "@orch/naming/naming.js";
import { type Conversions, conversion } from "../../conversion.js";
import type { ApiObject } from "../../object.js";
import type { Binding, RoleRef, Subject } from "./types.js";

interface OldSubject extends Omit<Subject, "apiGroup"> {
  readonly apiVersion?: string;
}

interface OldBinding extends ApiObject {
  readonly subjects?: readonly OldSubject[];
  readonly roleRef?: RoleRef;
}

/** The first version names a subject's version where later ones name its group. */
const subjects = conversion<OldBinding, Binding>((naming) => ({
  toHub: ({ subjects: given, ...rest }) => ({
    ...rest,
    ...(given === undefined ? {} : { subjects: given.map((subject) => subjectToHub(subject, naming)) }),
  }),
  fromHub: ({ subjects: given, ...rest }) => ({
    ...rest,
    ...(given === undefined ? {} : { subjects: given.map((subject) => subjectFromHub(subject, naming)) }),
  }),
}));

export const rbacConversions: Conversions = [
  ["rbac/v1alpha1.ClusterRoleBinding", subjects],
  ["rbac/v1alpha1.RoleBinding", subjects],
];

function subjectToHub({ apiVersion = "", ...subject }: OldSubject, naming: Naming): Subject {
  const apiGroup = groupOf(subject.kind, apiVersion, naming);
  // In this version alone the user `*` was everybody.
  const known =
    subject.kind === "User" && subject.name === "*"
      ? { ...subject, kind: "Group", name: naming.authenticatedGroup }
      : subject;
  return apiGroup === "" ? known : { ...known, apiGroup };
}

function groupOf(kind: string | undefined, apiVersion: string, naming: Naming): string {
  switch (kind) {
    case "ServiceAccount":
      return "";
    case "User":
    case "Group":
      return naming.group("rbac.authorization");
    default:
      return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  }
}

function subjectFromHub({ apiGroup = "", ...subject }: Subject, naming: Naming): OldSubject {
  const apiVersion = versionOf(subject.kind, apiGroup, naming);
  return apiVersion === "" ? subject : { ...subject, apiVersion };
}

function versionOf(kind: string | undefined, apiGroup: string, naming: Naming): string {
  if (kind === "ServiceAccount" && apiGroup === "") return "v1";
  const group = naming.group("rbac.authorization");
  if ((kind === "User" || kind === "Group") && apiGroup === group) return `${group}/v1alpha1`;
  return apiGroup === "" ? "" : `${apiGroup}/`;
}
