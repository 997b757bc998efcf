import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { type Condition, isTrue, validateConditions } from "../shared/conditions.js";
import { immutable } from "../shared/problems.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";

interface MigrationCondition extends Omit<Condition, "lastTransitionTime"> {
  readonly lastUpdateTime?: string;
}

interface Resource {
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
}

interface Migration extends ApiObject {
  readonly spec?: { readonly resource?: Resource };
  readonly status?: { readonly conditions?: readonly MigrationCondition[]; readonly resourceVersion?: string };
}

/** That the resource and its version are named is data. */
export const storageVersionMigration = behavior<Migration>(() => ({
  validateUpdate: ({ spec: { resource = {} } = {} }, { spec: { resource: old = {} } = {} }) =>
    (["group", "version", "resource"] as const)
      .filter((name) => resource[name] !== old[name])
      .map((name) => fieldError.invalid(name, resource[name] ?? "", immutable)),
  parts: { status: { resets: allButStatus, prepare: statusOnly, validate: validateStatus } },
}));

function validateStatus({ status = {} }: Migration, { status: old = {} }: Migration): FieldError[] {
  return [
    ...validateResourceVersion(status.resourceVersion ?? "", old.resourceVersion ?? ""),
    ...validateConditions((status.conditions ?? []).map(asCondition), "status.conditions"),
    ...validateOutcome(status.conditions ?? [], old.conditions ?? []),
  ];
}

/** Its time has another name here; errors call it as other conditions do. */
function asCondition({ lastUpdateTime, ...condition }: MigrationCondition): Condition {
  return lastUpdateTime === undefined ? condition : { ...condition, lastTransitionTime: lastUpdateTime };
}

function validateResourceVersion(version: string, old: string): FieldError[] {
  const at = "status.resourceVersion";
  return [
    ...(/^\d*$/.test(version) ? [] : [fieldError.invalid(at, version, "must be a non-negative integer")]),
    ...(old !== "" && version !== old ? [fieldError.invalid(at, version, "resourceVersion cannot be updated")] : []),
  ];
}

/** A migration runs, has succeeded or has failed; an outcome stays. */
function validateOutcome(conditions: readonly MigrationCondition[], old: readonly MigrationCondition[]): FieldError[] {
  const succeeded = isTrue(conditions, "Succeeded");
  const failed = isTrue(conditions, "Failed");
  const running = isTrue(conditions, "Running");
  const rules: readonly (readonly [broken: boolean, detail: string])[] = [
    [succeeded && failed, "Both success and failed conditions cannot be true at the same time"],
    [succeeded && running, "Running condition cannot be true when success condition is true"],
    [failed && running, "Running condition cannot be true when failed condition is true"],
    [isTrue(old, "Succeeded") && !succeeded, "Success condition cannot be set to false once it is true"],
    [isTrue(old, "Failed") && !failed, "Failed condition cannot be set to false once it is true"],
  ];
  return rules
    .filter(([broken]) => broken)
    .map(([, detail]) => fieldError.invalid("status.conditions", conditions, detail));
}
