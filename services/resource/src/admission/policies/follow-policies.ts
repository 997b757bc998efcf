import type { AnyObject } from "@orch/api/object.js";
import type { CompiledPolicy, PolicySource } from "@orch/cel/admission/policy.js";
import type { Mirror } from "../../mirror.js";
import { type ByResource, byResource } from "../matching/by-resource.js";
import {
  type Binding,
  type BoundPolicy,
  bindingOf,
  boundPolicy,
  generationOf,
  type Policy,
  type PolicyBinding,
} from "./bound-policy.js";

export interface Following {
  readonly policies: Mirror;
  readonly bindings: Mirror;
  readonly compile: (spec: PolicySource) => CompiledPolicy;
}

/** All that are bound, and those of them that a write concerns. */
export interface Policies {
  readonly all: readonly BoundPolicy[];
  readonly byResource: ByResource<BoundPolicy>;
}

interface Known {
  readonly generation: string;
  readonly compiled: () => CompiledPolicy;
}

/** The same value until a spec of a policy or of a binding changes. A policy that nothing binds is asked about nothing. */
export function followPolicies({ policies, bindings, compile }: Following): () => Policies {
  let seen: readonly [unknown, unknown] = [undefined, undefined];
  let state = "";
  let known: ReadonlyMap<string, Known> = new Map();
  let current: Policies = { all: [], byResource: byResource([]) };
  return () => {
    // The same lists until an object changes.
    const given = [policies.inNamespace(""), bindings.inNamespace("")] as const;
    if (given[0] === seen[0] && given[1] === seen[1]) return current;
    seen = given;
    const next = given.map((objects) => objects.map(generationOf).join()).join(";");
    // What has changed is their status alone.
    if (next === state) return current;
    state = next;
    known = new Map(given[0].map((policy) => [nameOf(policy), knownOf(policy, { known, compile })]));
    current = policiesOf(given[0], bindingsOf(given[1]), known);
    return current;
  };
}

const nameOf = ({ metadata }: AnyObject): string => metadata.name ?? "";

function knownOf(policy: Policy & AnyObject, { known, compile }: Pick<Following, "compile"> & KnownBefore): Known {
  const generation = generationOf(policy);
  const before = known.get(nameOf(policy));
  if (before?.generation === generation) return before;
  let made: CompiledPolicy | undefined;
  const compiled = (): CompiledPolicy => {
    made ??= compile(policy.spec ?? {});
    return made;
  };
  return { generation, compiled };
}

interface KnownBefore {
  readonly known: ReadonlyMap<string, Known>;
}

/** By the policies that they bind. */
function bindingsOf(objects: readonly (PolicyBinding & AnyObject)[]): ReadonlyMap<string, readonly Binding[]> {
  const byPolicy = new Map<string, Binding[]>();
  for (const object of objects) {
    const { policyName = "" } = object.spec ?? {};
    const bindings = byPolicy.get(policyName) ?? [];
    bindings.push(bindingOf(object));
    byPolicy.set(policyName, bindings);
  }
  return byPolicy;
}

/** In the order of the names of their bindings: the reference was seen to ask so. */
function policiesOf(
  objects: readonly (Policy & AnyObject)[],
  bindings: ReadonlyMap<string, readonly Binding[]>,
  known: ReadonlyMap<string, Known>,
): Policies {
  const all = objects
    .flatMap((object) => {
      const [bound, compiled] = [bindings.get(nameOf(object)), known.get(nameOf(object))?.compiled];
      return bound === undefined || compiled === undefined ? [] : [boundPolicy(object, { bindings: bound, compiled })];
    })
    .sort((a, b) => (firstBinding(a) < firstBinding(b) ? -1 : 1));
  return { all, byResource: byResource(all.map((one) => ({ one, matcher: one.matcher }))) };
}

const firstBinding = ({ bindings }: BoundPolicy): string => bindings[0]?.name ?? "";
