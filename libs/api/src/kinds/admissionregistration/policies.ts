import { dns1035Label, dnsSubdomain, pathSegment } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateLabelSelector } from "../shared/label-selector.js";
import { invalidFor } from "../shared/problems.js";
import { validateMatchConditions, validateMatchResources } from "./match.js";
import type { BindingSpec, ParamKind, ParamRef, PolicySpec, Variable } from "./types.js";

// What validating and mutating policies have in common; their expressions are compiled in `expressions.ts`.

/** Everything wrong with the common part of a policy's spec; closed sets of values are data. */
export function validatePolicySpec(spec: PolicySpec): readonly FieldError[] {
  const { matchConstraints: match, matchConditions = [], variables = [] } = spec;
  return [
    ...(spec.failurePolicy === undefined ? [fieldError.required("spec.failurePolicy")] : []),
    ...validateParamKind(spec.paramKind),
    ...(match === undefined ? [fieldError.required("spec.matchConstraints")] : []),
    ...validateMatchResources(match, "spec.matchConstraints"),
    // Without a rule nothing would tell of which type `object` is.
    ...(match !== undefined && (match.resourceRules ?? []).length === 0
      ? [fieldError.required("spec.matchConstraints.resourceRules")]
      : []),
    ...validateMatchConditions(matchConditions, "spec.matchConditions"),
    ...variables.flatMap((variable, i) => validateVariable(variable, `spec.variables[${i}]`)),
  ];
}

function validateParamKind(paramKind: ParamKind | undefined): readonly FieldError[] {
  if (paramKind === undefined) return [];
  const { apiVersion = "", kind = "" } = paramKind;
  const problems = kind === "" ? [] : dns1035Label(kind.toLowerCase());
  const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [
    ...validateApiVersion(apiVersion, "spec.paramKind.apiVersion"),
    ...(kind === "" ? [fieldError.required("spec.paramKind.kind")] : []),
    ...(problems.length === 0 ? [] : [fieldError.invalid("spec.paramKind.kind", kind, detail)]),
  ];
}

/** `group/version`, or the core group's version. */
function validateApiVersion(apiVersion: string, at: string): readonly FieldError[] {
  if (apiVersion === "") return [fieldError.required(at)];
  const parts = apiVersion === "/" ? [""] : apiVersion.split("/");
  if (parts.length > 2) {
    return [fieldError.invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  }
  const version = parts.at(-1) ?? "";
  const group = parts.length === 2 ? (parts[0] ?? "") : "";
  const wrongGroup = group === "" ? [] : dnsSubdomain(group);
  const wrongVersion = version === "" ? [] : dns1035Label(version);
  return [
    ...(wrongGroup.length === 0 ? [] : [fieldError.invalid(at, group, wrongGroup.join(","))]),
    ...(version === "" ? [fieldError.invalid(at, apiVersion, "version must be specified")] : []),
    ...(wrongVersion.length === 0 ? [] : [fieldError.invalid(at, version, wrongVersion.join(","))]),
  ];
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
/** Words of the expression language that name nothing else. */
const reserved: ReadonlySet<string> = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return " +
    "var void while"
  ).split(" "),
);

function validateVariable({ name = "", expression = "" }: Variable, at: string): readonly FieldError[] {
  const wrong = !identifier.test(name) || reserved.has(name);
  return [
    ...(name.trim() === "" ? [fieldError.required(`${at}.name`, "name is not specified")] : []),
    ...(name.trim() !== "" && wrong
      ? [fieldError.invalid(`${at}.name`, name, "name is not a valid CEL identifier")]
      : []),
    ...(expression.trim() === "" ? [fieldError.required(`${at}.expression`, "expression is not specified")] : []),
  ];
}

/** Everything wrong with the common part of a binding's spec. */
export function validateBindingSpec(spec: BindingSpec): readonly FieldError[] {
  const { policyName = "", paramRef, matchResources } = spec;
  return [
    ...(policyName === "" ? [fieldError.required("spec.policyName")] : []),
    ...(policyName === "" ? [] : invalidFor("spec.policyName", policyName, dnsSubdomain(policyName))),
    ...validateParamRef(paramRef),
    ...validateMatchResources(matchResources, "spec.matchResources"),
  ];
}

function validateParamRef(ref: ParamRef | undefined): readonly FieldError[] {
  if (ref === undefined) return [];
  const { name = "", selector, parameterNotFoundAction = "" } = ref;
  const at = "spec.paramRef";
  const both = name !== "" && selector !== undefined;
  const exclusive = "name and selector are mutually exclusive";
  return [
    ...(name === "" ? [] : invalidFor(`${at}.name`, name, pathSegment(name))),
    ...(both ? [fieldError.forbidden(`${at}.name`, exclusive)] : []),
    ...validateLabelSelector(selector, `${at}.selector`),
    ...(both ? [fieldError.forbidden(`${at}.selector`, exclusive)] : []),
    ...(name === "" && selector === undefined
      ? [fieldError.required(at, "one of name or selector must be specified")]
      : []),
    ...validateNotFoundAction(parameterNotFoundAction, `${at}.parameterNotFoundAction`),
  ];
}

const notFoundActions = ["Deny", "Allow"];

function validateNotFoundAction(action: string, at: string): readonly FieldError[] {
  if (action === "") return [fieldError.required(at)];
  return notFoundActions.includes(action) ? [] : [fieldError.notSupported(at, action, notFoundActions)];
}
