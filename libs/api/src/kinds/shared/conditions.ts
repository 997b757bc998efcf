import { conditionReason, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { repeatsIn } from "./repeats.js";

/** `meta/v1.Condition`: one thing observed of an object. */
export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

const statuses = ["False", "True", "Unknown"];
const reasonBytes = 1024;
const messageBytes = 32_768;

/** Everything wrong with the conditions of a status; each type stands there once. */
export function validateConditions(conditions: readonly Condition[], at: string): FieldError[] {
  const repeats = repeatsIn(conditions.map((c) => c.type ?? ""));
  return conditions.flatMap((condition, i) => [
    ...(repeats.has(i) ? [fieldError.duplicate(`${at}[${i}].type`, condition.type ?? "")] : []),
    ...validateCondition(condition, `${at}[${i}]`),
  ]);
}

function validateCondition(condition: Condition, at: string): FieldError[] {
  const { type = "", status = "", observedGeneration = 0, reason = "", message = "" } = condition;
  const errors = required("type", type, at);
  if (type !== "") errors.push(...qualifiedName(type).map((p) => fieldError.invalid(`${at}.type`, type, p)));
  if (!statuses.includes(status)) errors.push(fieldError.notSupported(`${at}.status`, status, statuses));
  if (observedGeneration < 0) {
    const detail = "must be greater than or equal to zero";
    errors.push(fieldError.invalid(`${at}.observedGeneration`, observedGeneration, detail));
  }
  errors.push(
    ...required("lastTransitionTime", condition.lastTransitionTime ?? "", at),
    ...required("reason", reason, at),
  );
  if (reason !== "") errors.push(...conditionReason(reason).map((p) => fieldError.invalid(`${at}.reason`, reason, p)));
  if (Buffer.byteLength(reason) > reasonBytes) errors.push(fieldError.tooLong(`${at}.reason`, reasonBytes));
  if (Buffer.byteLength(message) > messageBytes) errors.push(fieldError.tooLong(`${at}.message`, messageBytes));
  return errors;
}

function required(name: string, value: string, at: string): FieldError[] {
  return value === "" ? [fieldError.required(`${at}.${name}`, "must be set")] : [];
}

/** Whether a list of conditions has one of this type that is true. */
export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return (conditions ?? []).some((c) => c.type === type && c.status === "True");
}
