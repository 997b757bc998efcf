import { dnsLabel, dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { invalidFor } from "../shared/problems.js";
import { requiredText } from "../shared/required-text.js";
import { sameMeaning } from "../shared/same-meaning.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";
import { validateConditions } from "./conditions.js";
import { exemptName, mandatorySchemas } from "./mandatory.js";
import type { FlowSchema, FlowSchemaSpec, NonResourceRule, PolicyRules, ResourceRule, Subject } from "./types.js";

const defaultPrecedence = 1000;
const maxPrecedence = 10_000;
const methods = ["ByNamespace", "ByUser"];
const subjectKinds = ["Group", "ServiceAccount", "User"];
const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];
const any = "*";

export const flowSchema = behavior<FlowSchema>((naming) => {
  const mandatory = mandatorySchemas(naming);
  return {
    setDefaults: (object) => {
      const precedence = object.spec?.matchingPrecedence ?? 0;
      if (precedence !== 0) return object;
      return { ...object, spec: { ...object.spec, matchingPrecedence: defaultPrecedence } };
    },
    validate: ({ metadata: { name = "" }, spec = {}, status }) => {
      const fixed = mandatory.get(name);
      return [
        ...validateSpec(spec, name),
        ...(fixed === undefined || sameMeaning(spec, fixed)
          ? []
          : [fieldError.invalid("spec", spec, `spec of '${name}' must equal the fixed value`)]),
        ...validateConditions(status?.conditions),
      ];
    },
    parts: {
      status: {
        resets: allButStatus,
        prepare: statusOnly,
        validate: ({ status }) => validateConditions(status?.conditions),
      },
    },
  };
});

function validateSpec(spec: FlowSchemaSpec, name: string): FieldError[] {
  const { matchingPrecedence = 0, distinguisherMethod, priorityLevelConfiguration = {}, rules = [] } = spec;
  const level = priorityLevelConfiguration.name ?? "";
  const levelAt = "spec.priorityLevelConfiguration.name";
  const precedence = [
    ...(matchingPrecedence <= 0 ? ["must be a positive value"] : []),
    ...(matchingPrecedence > maxPrecedence ? [`must not be greater than ${maxPrecedence}`] : []),
    ...(matchingPrecedence === 1 && name !== exemptName
      ? ["only the schema named 'exempt' may have matchingPrecedence 1"]
      : []),
  ];
  return [
    ...invalidFor("spec.matchingPrecedence", matchingPrecedence, precedence),
    ...(distinguisherMethod === undefined || methods.includes(distinguisherMethod.type ?? "")
      ? []
      : [fieldError.notSupported("spec.distinguisherMethod.type", distinguisherMethod.type ?? "", methods)]),
    ...(level === ""
      ? [fieldError.required(levelAt, "must reference a priority level")]
      : invalidFor(levelAt, level, dnsSubdomain(level))),
    ...rules.flatMap((rule, i) => validateRules(rule, `spec.rules[${i}]`)),
  ];
}

function validateRules(
  { subjects = [], resourceRules = [], nonResourceRules = [] }: PolicyRules,
  at: string,
): FieldError[] {
  const nothing = resourceRules.length === 0 && nonResourceRules.length === 0;
  return [
    ...(subjects.length === 0
      ? [fieldError.required(`${at}.subjects`, "subjects must contain at least one value")]
      : []),
    ...subjects.flatMap((subject, i) => validateSubject(subject, `${at}.subjects[${i}]`)),
    ...(nothing
      ? [fieldError.required(at, "at least one of resourceRules and nonResourceRules has to be non-empty")]
      : []),
    ...resourceRules.flatMap((rule, i) => validateResourceRule(rule, `${at}.resourceRules[${i}]`)),
    ...nonResourceRules.flatMap((rule, i) => validateNonResourceRule(rule, `${at}.nonResourceRules[${i}]`)),
  ];
}

/** The member that each kind of subject has, alone. */
const members = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function validateSubject(subject: Subject, at: string): FieldError[] {
  const { kind = "" } = subject;
  if (!subjectKinds.includes(kind)) return [fieldError.notSupported(`${at}.kind`, kind, subjectKinds)];
  return Object.entries(members).flatMap(([owner, member]) => {
    const value = subject[member];
    if (owner === kind) {
      if (value !== undefined) return validateMember(value, `${at}.${member}`, member);
      return [fieldError.required(`${at}.${member}`, `${member} is required when subject kind is '${owner}'`)];
    }
    if (value === undefined) return [];
    return [fieldError.forbidden(`${at}.${member}`, `${member} is forbidden when subject kind is not '${owner}'`)];
  });
}

function validateMember(
  { name, namespace = "" }: NonNullable<Subject["serviceAccount"]>,
  at: string,
  member: "serviceAccount" | "user" | "group",
): FieldError[] {
  if (member !== "serviceAccount") return requiredText(`${at}.name`, name, () => []);
  return [
    ...requiredText(`${at}.name`, name, (text) => (text === any ? [] : dnsSubdomain(text))),
    ...(namespace === ""
      ? [fieldError.required(`${at}.namespace`, "must specify namespace for service account")]
      : invalidFor(`${at}.namespace`, namespace, dnsLabel(namespace))),
  ];
}

interface ListRule {
  /** Said when nothing is there. */
  readonly missing: string;
  /** What the items are called in errors. */
  readonly what: string;
}

/** `*` stands alone. */
function validateList(list: readonly string[], at: string, { missing, what }: ListRule): FieldError[] {
  if (list.length === 0) return [fieldError.required(at, missing)];
  if (list.length === 1 || !list.includes(any)) return [];
  return [fieldError.invalid(at, list, `if '*' is present, must not specify other ${what}`)];
}

function validateVerbs(given: readonly string[], at: string): FieldError[] {
  const unknown = !given.includes(any) && given.some((verb) => !verbs.includes(verb));
  return [
    ...validateList(given, at, { missing: "verbs must contain at least one value", what: "verbs" }),
    ...(unknown ? [fieldError.notSupported(at, given, verbs)] : []),
  ];
}

function validateResourceRule(rule: ResourceRule, at: string): FieldError[] {
  const { namespaces = [], clusterScope = false } = rule;
  const missing = "resource rules that are not cluster scoped must supply at least one namespace";
  return [
    ...validateVerbs(rule.verbs ?? [], `${at}.verbs`),
    ...validateList(rule.apiGroups ?? [], `${at}.apiGroups`, {
      missing: "resource rules must supply at least one api group",
      what: "api groups",
    }),
    ...validateList(rule.resources ?? [], `${at}.resources`, {
      missing: "resource rules must supply at least one resource",
      what: "resources",
    }),
    ...(namespaces.length === 0 && clusterScope
      ? []
      : validateList(namespaces, `${at}.namespaces`, { missing, what: "namespaces" })),
    ...(namespaces.includes(any)
      ? []
      : namespaces.flatMap((namespace, i) =>
          invalidFor(
            `${at}.namespaces[${i}]`,
            namespace,
            dnsLabel(namespace).map((p) => `each member of this list must be '*' or a DNS-1123 label; ${p}`),
          ),
        )),
  ];
}

function validateNonResourceRule(
  { verbs: given = [], nonResourceURLs = [] }: NonResourceRule,
  at: string,
): FieldError[] {
  return [
    ...validateVerbs(given, `${at}.verbs`),
    ...validateList(nonResourceURLs, `${at}.nonResourceURLs`, {
      missing: "nonResourceURLs must contain at least one value",
      what: "non-resource URLs",
    }),
    ...(nonResourceURLs.includes(any)
      ? []
      : nonResourceURLs.flatMap((url, i) => invalidFor(`${at}.nonResourceURLs[${i}]`, url, urlProblems(url)))),
  ];
}

/** The first thing wrong with a path; a star takes all below it. */
function urlProblems(path: string): readonly string[] {
  if (path === "/") return [];
  if (path === "") return ["must not be empty"];
  if (!path.startsWith("/")) return ["must start with slash"];
  if (path.includes(" ")) return ["must not contain white-space"];
  if (path.includes("//")) return ["must not contain double slash"];
  const star = path.indexOf(any);
  return star < 0 || (star === path.length - 1 && path.endsWith("/*")) ? [] : ["wildcard can only do suffix matching"];
}
