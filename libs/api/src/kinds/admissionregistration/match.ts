import { pathSegment, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateLabelSelector } from "../shared/label-selector.js";
import { invalidFor } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";
import type { MatchCondition, MatchResources, NamedRule, Rule } from "./types.js";

// Which requests a webhook or a policy is asked about. Closed sets of values are data of the types.

const wildcard = "*";

/** Everything wrong with a rule, its operations included. */
export function validateRule(rule: Rule, at: string): readonly FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [] } = rule;
  return [
    ...validateNames(operations, `${at}.operations`, "operations"),
    ...validateNames(apiGroups, `${at}.apiGroups`, "API groups"),
    ...validateNames(apiVersions, `${at}.apiVersions`, "API versions"),
    ...apiVersions.flatMap((v, i) => (v === "" ? [fieldError.required(`${at}.apiVersions[${i}]`)] : [])),
    ...validateResources(resources, `${at}.resources`),
  ];
}

/** At least one, and `*` only by itself. */
function validateNames(names: readonly string[], at: string, what: string): readonly FieldError[] {
  if (names.length === 0) return [fieldError.required(at)];
  if (names.length === 1 || !names.includes(wildcard)) return [];
  return [fieldError.invalid(at, names, `if '*' is present, must not specify other ${what}`)];
}

/** `pods`, `pods/log`, `pods/*`, `*\/scale`, `*`, `*\/*`: nothing beside a wildcard that already says it. */
function validateResources(resources: readonly string[], at: string): readonly FieldError[] {
  if (resources.length === 0) return [fieldError.required(at)];
  const plain = resources.some((r) => r !== "" && r !== wildcard && !r.includes("/"));
  return [
    ...coveredResources(resources, at),
    ...(resources.length > 1 && resources.includes("*/*")
      ? [fieldError.invalid(at, resources, "if '*/*' is present, must not specify other resources")]
      : []),
    ...(resources.includes(wildcard) && plain
      ? [fieldError.invalid(at, resources, "if '*' is present, must not specify other resources without subresources")]
      : []),
  ];
}

/** Empty names, and subresources that a wildcard before them says already. */
function coveredResources(resources: readonly string[], at: string): readonly FieldError[] {
  const before = new Set<string>();
  return resources.flatMap((resource, i) => {
    const step = `${at}[${i}]`;
    if (resource === "") return [fieldError.required(step)];
    const slash = resource.indexOf("/");
    if (slash < 0) return [];
    const covering = [`${resource.slice(0, slash)}/*`, `*/${resource.slice(slash + 1)}`].filter((w) => before.has(w));
    before.add(resource);
    return covering.map((wider) =>
      fieldError.invalid(step, resource, `if '${wider}' is present, must not specify ${resource}`),
    );
  });
}

/** Everything wrong with what a policy or its binding selects; an absent one has no errors. */
export function validateMatchResources(match: MatchResources | undefined, at: string): readonly FieldError[] {
  if (match === undefined) return [];
  const { namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  return [
    ...validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`),
    ...validateLabelSelector(objectSelector, `${at}.objectSelector`),
    ...resourceRules.flatMap((rule, i) => validateNamedRule(rule, `${at}.resourceRules[${i}]`)),
    ...excludeResourceRules.flatMap((rule, i) => validateNamedRule(rule, `${at}.excludeResourceRules[${i}]`)),
  ];
}

function validateNamedRule(rule: NamedRule, at: string): readonly FieldError[] {
  const names = rule.resourceNames ?? [];
  const repeats = repeatsIn(names);
  return [
    ...names.flatMap((name, i) => {
      const step = `${at}.resourceNames[${i}]`;
      return [
        ...pathSegment(name).map((problem) => fieldError.invalid(step, name, problem)),
        ...(repeats.has(i) ? [fieldError.duplicate(step, name)] : []),
      ];
    }),
    ...validateRule(rule, at),
  ];
}

const maxConditions = 64;

/** Everything wrong with match conditions but what compiling their expressions would tell. */
export function validateMatchConditions(conditions: readonly MatchCondition[], at: string): readonly FieldError[] {
  const repeats = repeatsIn(conditions.map((c) => c.name ?? ""));
  return [
    ...(conditions.length > maxConditions ? [fieldError.tooMany(at, conditions.length, maxConditions)] : []),
    ...conditions.flatMap(({ name = "", expression = "" }, i) => {
      return [
        ...(expression.trim() === "" ? [fieldError.required(`${at}[${i}].expression`)] : []),
        ...(name === "" ? [fieldError.required(`${at}[${i}].name`)] : []),
        ...(name === "" ? [] : invalidFor(`${at}[${i}].name`, name, qualifiedName(name))),
        ...(name === "" || !repeats.has(i) ? [] : [fieldError.duplicate(`${at}[${i}].name`, name)]),
      ];
    }),
  ];
}
