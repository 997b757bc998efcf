import type { PodSpec } from "@orch/api/kinds/core/pod/types.js";
import type { ApiObject } from "@orch/api/object.js";

/** The parts of a class that pods depend on. */
export interface PriorityClass extends ApiObject {
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

/** The parts of a pod that depend on its class. */
export interface PrioritizedSpec extends PodSpec {
  readonly priorityClassName?: string;
  readonly priority?: number;
  readonly preemptionPolicy?: string;
}

/** What holds for pods of no class where no class is the default one. */
const noClass: PriorityClass = { metadata: {}, preemptionPolicy: "PreemptLowerPriority" };

/** The default class; of several the one of the lowest value, as two may have been made at once. */
export function defaultOf(classes: readonly PriorityClass[]): PriorityClass | undefined {
  const marked = classes.filter(({ globalDefault }) => globalDefault === true);
  return marked.reduce<PriorityClass | undefined>(
    (best, each) => (best === undefined || (each.value ?? 0) < (best.value ?? 0) ? each : best),
    undefined,
  );
}

/** A new pod's spec with what its class says; a sentence where the pod says something else of itself. */
export function withPriority(spec: PrioritizedSpec, chosen: PriorityClass | undefined): PrioritizedSpec | string {
  const { metadata, value = 0, preemptionPolicy: policy } = chosen ?? noClass;
  if (spec.priority !== undefined && spec.priority !== value) {
    return `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
  }
  if (policy !== undefined && spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    return `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`;
  }
  return {
    ...spec,
    ...(metadata.name === undefined ? {} : { priorityClassName: metadata.name }),
    priority: value,
    ...(policy === undefined ? {} : { preemptionPolicy: policy }),
  };
}

/** A pod's priority stays; whoever leaves it out of a new state does not mean to change it. */
export function withKeptPriority(spec: PrioritizedSpec, old: PrioritizedSpec): PrioritizedSpec {
  const priority = spec.priority ?? old.priority;
  const policy = spec.preemptionPolicy ?? old.preemptionPolicy;
  if (priority === spec.priority && policy === spec.preemptionPolicy) return spec;
  return {
    ...spec,
    ...(priority === undefined ? {} : { priority }),
    ...(policy === undefined ? {} : { preemptionPolicy: policy }),
  };
}
