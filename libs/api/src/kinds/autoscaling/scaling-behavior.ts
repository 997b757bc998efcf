import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { ScalingBehavior, ScalingPolicy, ScalingRules } from "./types.js";

const maxWindow = 3600;
const maxPeriod = 1800;

const up: ScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};
/** How long to wait before scaling down is the controller's own setting. */
const down: ScalingRules = { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };

export function defaultBehavior(behavior: ScalingBehavior): ScalingBehavior {
  return { scaleUp: { ...up, ...behavior.scaleUp }, scaleDown: { ...down, ...behavior.scaleDown } };
}

export function validateBehavior(behavior: ScalingBehavior, at: string): FieldError[] {
  return (["scaleUp", "scaleDown"] as const).flatMap((name) => {
    const rules = behavior[name];
    return rules === undefined ? [] : validateRules(rules, `${at}.${name}`);
  });
}

function validateRules(rules: ScalingRules, at: string): FieldError[] {
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [] } = rules;
  const known = ["Disabled", "Max", "Min"];
  const errors: FieldError[] = [];
  const place = `${at}.stabilizationWindowSeconds`;
  if (window < 0) errors.push(fieldError.invalid(place, window, "must be greater than or equal to zero"));
  if (window > maxWindow) errors.push(fieldError.invalid(place, window, `must be less than or equal to ${maxWindow}`));
  if (selectPolicy !== undefined && !known.includes(selectPolicy)) {
    errors.push(fieldError.notSupported(`${at}.selectPolicy`, selectPolicy, known));
  }
  if (policies.length === 0) errors.push(fieldError.required(`${at}.policies`, "must specify at least one Policy"));
  return [...errors, ...policies.flatMap((policy, i) => validatePolicy(policy, `${at}.policies[${i}]`))];
}

function validatePolicy({ type = "", value = 0, periodSeconds = 0 }: ScalingPolicy, at: string): FieldError[] {
  const known = ["Percent", "Pods"];
  const errors: FieldError[] = [];
  if (!known.includes(type)) errors.push(fieldError.notSupported(`${at}.type`, type, known));
  if (value <= 0) errors.push(fieldError.invalid(`${at}.value`, value, "must be greater than zero"));
  if (periodSeconds <= 0) {
    errors.push(fieldError.invalid(`${at}.periodSeconds`, periodSeconds, "must be greater than zero"));
  }
  if (periodSeconds > maxPeriod) {
    const detail = `must be less than or equal to ${maxPeriod}`;
    errors.push(fieldError.invalid(`${at}.periodSeconds`, periodSeconds, detail));
  }
  return errors;
}
