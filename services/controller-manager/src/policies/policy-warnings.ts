import type { PolicySpec } from "@orch/api/kinds/admissionregistration/types.js";
import type { PolicyOptions, PolicySource } from "@orch/cel/admission/policy.js";
import { type TypedKind, type TypeWarning, typeWarnings } from "@orch/cel/admission/type-check.js";
import type { ApiResource } from "@orch/client/discovery.js";
import { namedKinds, paramResource } from "./checked-types.js";

/** What there is for a policy to name. */
export interface ServedTypes extends Pick<PolicyOptions, "dialect"> {
  readonly served: readonly ApiResource[];
  /** Undefined where nobody says what its objects are. */
  readonly typeOf: (resource: ApiResource) => Promise<TypedKind | undefined>;
}

/** What the expressions of a policy get wrong about the kinds that it names. */
export async function policyWarnings(
  spec: PolicySpec & PolicySource,
  { served, typeOf, dialect }: ServedTypes,
): Promise<readonly TypeWarning[]> {
  const kinds = await Promise.all(namedKinds(spec.matchConstraints ?? {}, served).map(typeOf));
  const known = kinds.flatMap((kind) => kind ?? []);
  if (known.length === 0) return [];
  const param = spec.paramKind && paramResource(spec.paramKind, served);
  const params = param && (await typeOf(param));
  // What is stored may use every library.
  return typeWarnings(spec, known, { dialect, release: newest, isStored: () => true, params });
}

/** Of the libraries that expressions may use. */
const newest = "1.32";
