import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateLabelSelector } from "../../shared/label-selector.js";
import { invalidFor } from "../../shared/problems.js";
import { repeatsIn } from "../../shared/repeats.js";
import { each, oneOf, requireText, subdomain } from "./errors.js";
import type { PodResourceClaim, PodSpec, Toleration, TopologySpreadConstraint } from "./types.js";

/** What a taint does to pods that do not tolerate it. */
export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(tolerations: readonly Toleration[] | undefined, at: string): FieldError[] {
  return each(tolerations, at, validateToleration);
}

function validateToleration(toleration: Toleration, at: string): FieldError[] {
  const { key = "", operator = "", value = "", effect = "" } = toleration;
  const everyKey = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  const valueProblems = operator === "Equal" || operator === "" ? labelValue(value) : [];
  return [
    ...(key === "" && operator !== "Exists" ? [fieldError.invalid(`${at}.operator`, operator, everyKey)] : []),
    ...(toleration.tolerationSeconds !== undefined && effect !== "NoExecute"
      ? [fieldError.invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
    // At the operator, as in the reference.
    ...(valueProblems.length === 0 ? [] : [fieldError.invalid(`${at}.operator`, value, valueProblems.join(";"))]),
    ...(operator === "Exists" && value !== ""
      ? [fieldError.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'")]
      : []),
    ...(operator === "" ? [] : oneOf(`${at}.operator`, operator, ["Equal", "Exists"])),
    ...(effect === "" ? [] : oneOf(`${at}.effect`, effect, taintEffects)),
  ];
}

export function validateSpread({ topologySpreadConstraints: constraints = [] }: PodSpec, at: string): FieldError[] {
  const keyOf = ({ topologyKey = "", whenUnsatisfiable = "" }: TopologySpreadConstraint): string =>
    JSON.stringify([topologyKey, whenUnsatisfiable]);
  const last = new Map(constraints.map((constraint, i) => [keyOf(constraint), i]));
  return each(constraints, `${at}.topologySpreadConstraints`, (constraint, place, i) => {
    const { topologyKey = "", whenUnsatisfiable = "" } = constraint;
    const repeated = last.get(keyOf(constraint)) !== i;
    return [
      ...((constraint.maxSkew ?? 0) > 0
        ? []
        : [fieldError.invalid(`${place}.maxSkew`, constraint.maxSkew ?? 0, notPositive)]),
      ...requireText(`${place}.topologyKey`, topologyKey, "can not be empty"),
      ...oneOf(`${place}.whenUnsatisfiable`, whenUnsatisfiable, ["DoNotSchedule", "ScheduleAnyway"]),
      ...(repeated
        ? [fieldError.duplicate(`${place}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`)]
        : []),
      ...validateMinDomains(constraint, `${place}.minDomains`),
      ...validateMatchKeys(constraint, `${place}.matchLabelKeys`),
      ...validateLabelSelector(constraint.labelSelector, `${place}.labelSelector`),
    ];
  });
}

const notPositive = "must be greater than zero";

function validateMinDomains(constraint: TopologySpreadConstraint, at: string): FieldError[] {
  const { minDomains, whenUnsatisfiable = "" } = constraint;
  if (minDomains === undefined) return [];
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  return [
    ...(minDomains > 0 ? [] : [fieldError.invalid(at, minDomains, notPositive)]),
    ...(whenUnsatisfiable === "DoNotSchedule" ? [] : [fieldError.invalid(at, minDomains, detail)]),
  ];
}

function validateMatchKeys({ matchLabelKeys, labelSelector }: TopologySpreadConstraint, at: string): FieldError[] {
  if (matchLabelKeys === undefined || matchLabelKeys.length === 0) return [];
  const selected = new Set([
    ...Object.keys(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map((e) => e.key ?? ""),
  ]);
  return [
    ...(labelSelector === undefined
      ? [fieldError.forbidden(at, "must not be specified when labelSelector is not set")]
      : []),
    ...each(matchLabelKeys, at, (key, place) => [
      ...invalidFor(place, key, qualifiedName(key)),
      ...(selected.has(key) ? [fieldError.invalid(place, key, "exists in both matchLabelKeys and labelSelector")] : []),
    ]),
  ];
}

/** Conditions that make a pod ready, and what keeps it from being scheduled. */
export function validateGates({ readinessGates, schedulingGates }: PodSpec, at: string): FieldError[] {
  const names = (schedulingGates ?? []).map((g) => g.name ?? "");
  const repeats = repeatsIn(names);
  return [
    ...each(readinessGates, `${at}.readinessGates`, ({ conditionType = "" }, place) =>
      invalidFor(`${place}.conditionType`, conditionType, qualifiedName(conditionType)),
    ),
    ...names.flatMap((name, i) => [
      ...invalidFor(`${at}.schedulingGates[${i}]`, name, qualifiedName(name)),
      ...(repeats.has(i) ? [fieldError.duplicate(`${at}.schedulingGates[${i}]`, name)] : []),
    ]),
  ];
}

/** Claims of devices that the pod names, or has made for it; in a template `pod` is empty. */
export function validateResourceClaims({ resourceClaims }: PodSpec, pod: string, at: string): FieldError[] {
  const names = (resourceClaims ?? []).map((c) => c.name ?? "");
  const repeats = repeatsIn(names);
  return names.flatMap((name, i) => {
    const place = `${at}.resourceClaims[${i}]`;
    return [
      ...(name !== "" && repeats.has(i) ? [fieldError.duplicate(`${place}.name`, name)] : []),
      ...validateResourceClaim(resourceClaims?.[i] ?? {}, pod, place),
    ];
  });
}

function validateResourceClaim(claim: PodResourceClaim, pod: string, at: string): FieldError[] {
  const { name = "", resourceClaimName, resourceClaimTemplateName } = claim;
  const made = `${pod}-${name}`;
  const isMade = pod !== "" && resourceClaimTemplateName !== undefined && name !== "" && dnsLabel(name).length === 0;
  const both = resourceClaimName !== undefined && resourceClaimTemplateName !== undefined;
  const none = resourceClaimName === undefined && resourceClaimTemplateName === undefined;
  return [
    ...(isMade
      ? invalidFor(
          `${at}.name`,
          made,
          dnsSubdomain(made).map((p) => `final ResourceClaim name: ${p}`),
        )
      : []),
    ...(both
      ? [
          fieldError.invalid(
            at,
            claim,
            "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
          ),
        ]
      : []),
    ...(none
      ? [fieldError.invalid(at, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")]
      : []),
    ...(resourceClaimName === undefined ? [] : subdomain(`${at}.resourceClaimName`, resourceClaimName)),
    ...(resourceClaimTemplateName === undefined
      ? []
      : subdomain(`${at}.resourceClaimTemplateName`, resourceClaimTemplateName)),
  ];
}
