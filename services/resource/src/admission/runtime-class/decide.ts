import type { PodSpec, Toleration } from "@orch/api/kinds/core/pod/types.js";
import type { Resources } from "@orch/api/kinds/core/resources.js";
import type { ApiObject } from "@orch/api/object.js";
import { nanoOf } from "@orch/schema/formats/quantity.js";
import { mergeTolerations } from "./merge-tolerations.js";

/** The parts of a class that pods depend on. */
export interface RuntimeClass extends ApiObject {
  readonly overhead?: { readonly podFixed?: Resources };
  readonly scheduling?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
  };
}

/** A pod's spec with what its class costs and where it runs; a sentence where the pod says something else. */
export function withRuntime(spec: PodSpec, chosen: RuntimeClass): PodSpec | string {
  const problem = givenOverheadProblem(spec, chosen) ?? selectorProblem(spec, chosen);
  if (problem !== undefined) return problem;
  const { overhead, scheduling } = chosen;
  const selector = { ...spec.nodeSelector, ...scheduling?.nodeSelector };
  const tolerations =
    scheduling === undefined
      ? spec.tolerations
      : mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  return {
    ...spec,
    ...(overhead === undefined ? {} : { overhead: overhead.podFixed ?? {} }),
    ...(Object.keys(selector).length === 0 ? {} : { nodeSelector: selector }),
    ...(tolerations === undefined || tolerations.length === 0 ? {} : { tolerations }),
  };
}

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function givenOverheadProblem({ overhead }: PodSpec, { overhead: defined }: RuntimeClass): string | undefined {
  if (overhead === undefined || defined === undefined) return undefined;
  return sameResources(overhead, defined.podFixed ?? {}) ? undefined : mismatch;
}

/** Of a pod as it is to be stored, whatever other plugins made of it. */
export function overheadProblem({ overhead }: PodSpec, chosen: RuntimeClass | undefined): string | undefined {
  const defined = chosen?.overhead;
  if (defined !== undefined) return sameResources(overhead ?? {}, defined.podFixed ?? {}) ? undefined : mismatch;
  return overhead === undefined
    ? undefined
    : "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
}

function selectorProblem({ nodeSelector = {} }: PodSpec, { scheduling }: RuntimeClass): string | undefined {
  for (const [key, wanted] of Object.entries(scheduling?.nodeSelector ?? {})) {
    const given = Object.hasOwn(nodeSelector, key) ? nodeSelector[key] : undefined;
    if (given === undefined || given === wanted) continue;
    return `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${wanted}; pod.spec.nodeSelector[${key}] = ${given}`;
  }
  return undefined;
}

function sameResources(a: Resources, b: Resources): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && nanoOf(a[name] ?? "") === nanoOf(b[name] ?? ""));
}
