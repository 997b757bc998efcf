import { qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { type Condition, validateConditions } from "../shared/conditions.js";
import { invalidFor } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";
import { amongOthers, validatePolicyExpressions } from "./expressions.js";
import { validateBindingSpec, validatePolicySpec } from "./policies.js";
import type { BindingSpec, PolicySpec } from "./types.js";

interface ValidatingAdmissionPolicy extends ApiObject {
  readonly spec?: ValidatingPolicySpec;
  readonly status?: PolicyStatus;
}

interface ValidatingPolicySpec extends PolicySpec {
  readonly validations?: readonly Validation[];
  readonly auditAnnotations?: readonly AuditAnnotation[];
}

interface Validation {
  readonly expression?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly messageExpression?: string;
}

interface AuditAnnotation {
  readonly key?: string;
  readonly valueExpression?: string;
}

interface PolicyStatus {
  readonly typeChecking?: { readonly expressionWarnings?: readonly ExpressionWarning[] };
  readonly conditions?: readonly Condition[];
}

interface ExpressionWarning {
  readonly fieldRef?: string;
  readonly warning?: string;
}

interface ValidatingAdmissionPolicyBinding extends ApiObject {
  readonly spec?: BindingSpec & { readonly validationActions?: readonly string[] };
}

export const validatingAdmissionPolicy = behavior<ValidatingAdmissionPolicy>((naming, release) => ({
  validateCreate: (object) =>
    amongOthers(validatePolicy(object), validatePolicyExpressions(object.spec ?? {}, undefined, { naming, release })),
  validateUpdate: (object, old) =>
    amongOthers(validatePolicy(object), validatePolicyExpressions(object.spec ?? {}, old.spec, { naming, release })),
  parts: {
    status: { resets: allButStatus, prepare: statusOnly, validate: ({ status = {} }) => validateStatus(status) },
  },
}));

export const validatingAdmissionPolicyBinding = behavior<ValidatingAdmissionPolicyBinding>(() => ({
  validate: ({ spec = {} }) => [...validateBindingSpec(spec), ...validateActions(spec.validationActions ?? [])],
}));

function validatePolicy({ metadata, spec = {} }: ValidatingAdmissionPolicy): readonly FieldError[] {
  return [...validatePolicySpec(spec), ...validateParts(spec, metadata.name ?? "")];
}

const maxAuditAnnotations = 20;
/** The longest expression of an annotation, in bytes. */
const maxValueExpression = 5120;

function validateParts(spec: ValidatingPolicySpec, name: string): readonly FieldError[] {
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    return [fieldError.required("spec.validations", detail), fieldError.required("spec.auditAnnotations", detail)];
  }
  const repeats = repeatsIn(auditAnnotations.map((a) => a.key ?? ""));
  const tooMany = `must not have more than ${maxAuditAnnotations} auditAnnotations`;
  return [
    ...validations.flatMap((validation, i) => validateValidation(validation, `spec.validations[${i}]`)),
    ...(auditAnnotations.length > maxAuditAnnotations
      ? [fieldError.invalid("spec.auditAnnotations", auditAnnotations, tooMany)]
      : []),
    ...auditAnnotations.flatMap((annotation, i) => {
      const { key = "" } = annotation;
      const at = `spec.auditAnnotations[${i}]`;
      return [
        ...validateAuditAnnotation(annotation, name, at),
        ...(repeats.has(i) ? [fieldError.duplicate(`${at}.key`, key)] : []),
      ];
    }),
  ];
}

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function validateValidation(validation: Validation, at: string): readonly FieldError[] {
  const { expression = "", message = "", messageExpression = "", reason } = validation;
  return [
    ...(expression.trim() === "" ? [fieldError.required(`${at}.expression`, "expression is not specified")] : []),
    ...(messageExpression !== "" && messageExpression.trim() === ""
      ? [fieldError.invalid(`${at}.messageExpression`, messageExpression, "must be non-empty if specified")]
      : []),
    ...(message !== "" && message.trim() === ""
      ? [fieldError.invalid(`${at}.message`, message, "message must be non-empty if specified")]
      : []),
    ...(/[\n\r]/.test(message.trim())
      ? [fieldError.invalid(`${at}.message`, message, "message must not contain line breaks")]
      : []),
    ...(reason === undefined || reasons.includes(reason)
      ? []
      : [fieldError.notSupported(`${at}.reason`, reason, reasons)]),
  ];
}

function validateAuditAnnotation(
  { key = "", valueExpression = "" }: AuditAnnotation,
  policy: string,
  at: string,
): readonly FieldError[] {
  const whole = `${policy}/${key}`;
  const value = valueExpression.trim();
  return [
    ...(policy === "" ? [fieldError.invalid(`${at}.key`, key, "requires metadata.name be non-empty")] : []),
    ...(policy === "" ? [] : invalidFor(`${at}.key`, whole, qualifiedName(whole))),
    ...(value === "" ? [fieldError.required(`${at}.valueExpression`, "valueExpression is not specified")] : []),
    ...(Buffer.byteLength(value) > maxValueExpression
      ? [fieldError.required(`${at}.valueExpression`, `must not exceed ${maxValueExpression} bytes in length`)]
      : []),
  ];
}

/** Which actions there are is data. */
function validateActions(actions: readonly string[]): readonly FieldError[] {
  const at = "spec.validationActions";
  const repeats = repeatsIn(actions);
  const twice =
    "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
  return [
    ...actions.flatMap((action, i) => (repeats.has(i) ? [fieldError.duplicate(`${at}[${i}]`, action)] : [])),
    ...(actions.includes("Deny") && actions.includes("Warn") ? [fieldError.invalid(at, actions, twice)] : []),
    ...(actions.length === 0 ? [fieldError.required(at, "at least one validation action is required")] : []),
  ];
}

function validateStatus({ typeChecking, conditions = [] }: PolicyStatus): readonly FieldError[] {
  const warnings = typeChecking?.expressionWarnings ?? [];
  return [
    ...warnings.flatMap(({ fieldRef = "", warning = "" }, i) => {
      const at = `status.typeChecking.expressionWarnings[${i}]`;
      return [
        ...(warning === "" ? [fieldError.required(`${at}.warning`)] : []),
        ...(fieldRef.trim() === "" ? [fieldError.required(`${at}.fieldRef`)] : []),
      ];
    }),
    ...validateConditions(conditions, "status.conditions"),
  ];
}
