import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";

interface PriorityClass extends ApiObject {
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

const reservedPrefix = "system-";
const maxValue = 1_000_000_000;
const policies = ["PreemptLowerPriority", "Never"];

/** What the system's own pods run with: classes that are always there. */
export const systemPriorityClasses = [
  {
    metadata: { name: "system-node-critical" },
    value: 2_000_001_000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
  {
    metadata: { name: "system-cluster-critical" },
    value: 2_000_000_000,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
] as const;

const systemValues: ReadonlyMap<string, number> = new Map(
  systemPriorityClasses.map(({ metadata, value }) => [metadata.name, value]),
);

export const priorityClass = behavior<PriorityClass>(() => ({
  prepareForCreate: (object) => ({ ...object, metadata: { ...object.metadata, generation: 1 } }),
  // Later nothing of it but labels and the description changes.
  validateCreate: (object) => [...validateValue(object), ...validatePolicy(object.preemptionPolicy)],
  validateUpdate: (object, old) =>
    (object.value ?? 0) === (old.value ?? 0) ? [] : [fieldError.forbidden("value", "may not be changed in an update.")],
}));

function validateValue(object: PriorityClass): FieldError[] {
  const { name = "" } = object.metadata;
  if (name.startsWith(reservedPrefix)) return validateReserved(object, name);
  return (object.value ?? 0) > maxValue
    ? [fieldError.forbidden("value", `maximum allowed value of a user defined priority is ${maxValue}`)]
    : [];
}

function validatePolicy(policy: string | undefined): FieldError[] {
  if (policy === "") return [fieldError.required("preemptionPolicy")];
  return policy === undefined || policies.includes(policy)
    ? []
    : [fieldError.notSupported("preemptionPolicy", policy, policies)];
}

function validateReserved({ value = 0, globalDefault = false }: PriorityClass, name: string): FieldError[] {
  const wanted = systemValues.get(name);
  const problem =
    wanted === undefined
      ? `${name} is not a known system priority class`
      : value !== wanted
        ? `value of ${name} PriorityClass must be ${wanted}`
        : globalDefault
          ? `globalDefault of ${name} PriorityClass must be false`
          : undefined;
  if (problem === undefined) return [];
  const detail = `priority class names with '${reservedPrefix}' prefix are reserved for system use only. error: ${problem}`;
  return [fieldError.forbidden("metadata.name", detail)];
}
