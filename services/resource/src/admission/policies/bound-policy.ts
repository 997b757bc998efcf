import type {
  BindingSpec,
  NamedRule,
  ParamKind,
  ParamRef,
  PolicySpec,
} from "@orch/api/kinds/admissionregistration/types.js";
import type { AnyObject, ApiObject } from "@orch/api/object.js";
import type { CompiledPolicy, PolicySource } from "@orch/cel/admission/policy.js";
import { createMatcher, type Matcher } from "../matching/matcher.js";

/** A policy that is bound to something, read once. */
export interface BoundPolicy {
  readonly name: string;
  readonly paramKind: ParamKind | undefined;
  readonly failsOpen: boolean;
  readonly isReinvoked: boolean;
  readonly matcher: Matcher;
  /** Compiled when it is first asked for, and once for each generation. */
  readonly compiled: () => CompiledPolicy;
  /** In the order of their names. */
  readonly bindings: readonly Binding[];
}

export interface Binding {
  readonly name: string;
  /** `Deny`, `Warn`, `Audit`, of validating policies. */
  readonly actions: readonly string[];
  /** Undefined where it is about all that the policy is about. */
  readonly matcher: Matcher | undefined;
  readonly paramRef: ParamRef | undefined;
}

/** A policy of either kind, as stored. */
export interface Policy extends ApiObject {
  readonly spec?: PolicySpec & PolicySource & { readonly reinvocationPolicy?: string };
}

/** A binding of either kind, as stored. */
export interface PolicyBinding extends ApiObject {
  readonly spec?: BindingSpec & { readonly validationActions?: readonly string[] };
}

/** Which state of its spec an object has. */
export function generationOf({ metadata }: AnyObject): string {
  const { uid = "", generation, resourceVersion = "" } = metadata;
  return `${uid}/${generation ?? `@${resourceVersion}`}`;
}

export interface Bound {
  readonly compiled: () => CompiledPolicy;
  readonly bindings: readonly Binding[];
}

export function boundPolicy({ metadata, spec = {} }: Policy, { compiled, bindings }: Bound): BoundPolicy {
  return {
    name: metadata.name ?? "",
    paramKind: spec.paramKind,
    failsOpen: spec.failurePolicy === "Ignore",
    isReinvoked: spec.reinvocationPolicy === "IfNeeded",
    matcher: createMatcher({ namespaceSelector: {}, objectSelector: {}, ...spec.matchConstraints }),
    compiled,
    bindings,
  };
}

/** A binding without rules is about every resource that its policy is about. */
const everyResource: readonly NamedRule[] = [
  { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], scope: "*" },
];

export function bindingOf({ metadata, spec = {} }: PolicyBinding): Binding {
  const { validationActions = [], matchResources, paramRef } = spec;
  const { resourceRules = [] } = matchResources ?? {};
  return {
    name: metadata.name ?? "",
    actions: validationActions,
    matcher:
      matchResources === undefined
        ? undefined
        : createMatcher({
            ...{ namespaceSelector: {}, objectSelector: {}, ...matchResources },
            resourceRules: resourceRules.length === 0 ? everyResource : resourceRules,
          }),
    paramRef,
  };
}
