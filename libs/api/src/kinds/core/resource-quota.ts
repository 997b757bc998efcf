import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { immutable } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";
import { quotaWarnings } from "./quota-warnings.js";
import { isQuotaName, validateAmount, validateQuotaResourceName } from "./resource-names.js";
import { type Resources, rounded } from "./resources.js";

interface ScopeRequirement {
  readonly scopeName?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface Spec {
  readonly hard?: Resources;
  readonly scopes?: readonly string[];
  readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] };
}

interface ResourceQuota extends ApiObject {
  readonly spec?: Spec;
  readonly status?: { readonly hard?: Resources; readonly used?: Resources };
}

export const resourceQuota = behavior<ResourceQuota>((naming) => ({
  warnings: (object, { old }) => (old === undefined ? quotaWarnings(object.spec?.hard ?? {}) : []),
  setDefaults: ({ spec, status, ...object }) => ({
    ...object,
    ...(spec === undefined ? {} : { spec: roundedIn(spec, ["hard"]) }),
    ...(status === undefined ? {} : { status: roundedIn(status, ["hard", "used"]) }),
  }),
  validate: ({ spec = {} }) => [
    ...validateAmounts(spec.hard ?? {}, "spec.hard", naming),
    ...validateScopes(spec),
    ...validateSelector(spec),
  ],
  validateUpdate: ({ spec = {} }, { spec: old = {} }) =>
    sameSet(spec.scopes ?? [], old.scopes ?? [])
      ? []
      : [fieldError.invalid("spec.scopes", spec.scopes ?? null, immutable)],
  parts: {
    status: {
      validate: ({ status = {} }) => [
        ...validateAmounts(status.hard ?? {}, "status.hard", naming),
        ...validateAmounts(status.used ?? {}, "status.used", naming),
      ],
    },
  },
}));

function roundedIn<K extends string, T extends Readonly<Partial<Record<K, Resources>>>>(
  part: T,
  names: readonly K[],
): T {
  const lists = names.flatMap((name) => {
    const resources: Resources | undefined = part[name];
    return resources === undefined ? [] : [[name, rounded(resources)] as const];
  });
  return { ...part, ...Object.fromEntries(lists) };
}

function validateAmounts(resources: Resources, at: string, naming: Naming): FieldError[] {
  return Object.entries(resources).flatMap(([name, amount]) => [
    ...validateQuotaResourceName(name, `${at}[${name}]`),
    ...validateAmount(name, amount, { at: `${at}[${name}]`, naming }),
  ]);
}

/** Scopes that are told from the pod alone; the remaining one, PriorityClass, takes values. */
const plainScopes = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];
const scopes = [...plainScopes, "PriorityClass"];
const opposites = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;
const podAmounts = ["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];

/** Whether pods of a scope can be measured in a resource: those that ask for nothing can only be counted. */
function measures(scope: string, resource: string): boolean {
  if (!isQuotaName(resource)) return true;
  return scope === "BestEffort" ? resource === "pods" : podAmounts.includes(resource);
}

function validateScopes({ scopes: given = [], hard = {} }: Spec): FieldError[] {
  const wrong = (detail: string) => fieldError.invalid("spec.scopes", given, detail);
  return [...new Set(given)]
    .flatMap((scope) => [
      ...(scopes.includes(scope) ? [] : [wrong("unsupported scope")]),
      ...unmeasured(scope, hard).map(() => wrong("unsupported scope applied to resource")),
    ])
    .concat(conflicts(given).map(() => wrong("conflicting scopes")));
}

/** Resources in which pods of a scope cannot be measured. */
function unmeasured(scope: string, hard: Resources): readonly string[] {
  return scopes.includes(scope) ? Object.keys(hard).filter((name) => !measures(scope, name)) : [];
}

function conflicts(given: readonly string[]): readonly unknown[] {
  return opposites.filter((pair) => pair.every((scope) => given.includes(scope)));
}

function validateSelector({ scopeSelector, scopes: given, hard = {} }: Spec): FieldError[] {
  if (scopeSelector === undefined) return [];
  const at = "spec.scopeSelector.matchExpressions";
  const requirements = scopeSelector.matchExpressions ?? [];
  const names = requirements.map(({ scopeName = "" }) => scopeName);
  const repeats = repeatsIn(names);
  return [
    ...requirements.flatMap((requirement, i) => {
      const { scopeName = "" } = requirement;
      return [
        ...(scopes.includes(scopeName) ? [] : [fieldError.invalid(`${at}.scopeName`, scopeName, "unsupported scope")]),
        // Told once for a scope, however often it stands there.
        ...(repeats.has(i) ? [] : unmeasured(scopeName, hard)).map(() =>
          fieldError.invalid(at, scopeSelector, "unsupported scope applied to resource"),
        ),
        ...validateOperator(requirement, at),
      ];
    }),
    ...conflicts(names).map(() => fieldError.invalid(at, given ?? null, "conflicting scopes")),
  ];
}

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function validateOperator({ scopeName = "", operator = "", values = [] }: ScopeRequirement, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (plainScopes.includes(scopeName) && operator !== "Exists") {
    errors.push(fieldError.invalid(`${at}.operator`, operator, onlyExists));
  }
  const takesValues = operator === "In" || operator === "NotIn";
  if (takesValues && values.length === 0) {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    errors.push(fieldError.required(`${at}.values`, detail));
  } else if (!takesValues && operator !== "Exists" && operator !== "DoesNotExist") {
    errors.push(fieldError.invalid(`${at}.operator`, operator, "not a valid selector operator"));
  } else if (!takesValues && values.length > 0) {
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    errors.push(fieldError.invalid(`${at}.values`, values, detail));
  }
  return errors;
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const [x, y] = [new Set(a), new Set(b)];
  return x.size === y.size && a.every((item) => y.has(item));
}
