import { labelValue, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { type Behaviors, behavior } from "../../behavior.js";
import { maxRequirements, maxSelectorLength, maxValues } from "../../selectors/limits.js";
import type { AccessReview, AskedRequirement, AskedResource, AskedSelector } from "./types.js";

const spec = "spec";
const resource = `${spec}.resourceAttributes`;
const nonResource = `${spec}.nonResourceAttributes`;

const selfReview = behavior<AccessReview>(() => ({
  validate: (object) => [
    ...validateOneQuestion(object),
    ...validateSelectors(object.spec?.resourceAttributes),
    ...validateBare(object, "must be empty"),
  ],
}));

const subjectReview = behavior<AccessReview>(() => ({
  validate: (object) => [...validateSubject(object), ...validateBare(object, "must be empty")],
}));

/** Of one namespace: metadata and question name the same. */
const localReview = behavior<AccessReview>(() => ({
  validate: (object) => {
    const { namespace = "", ...metadata } = object.metadata;
    const { resourceAttributes, nonResourceAttributes } = object.spec ?? {};
    const asked = resourceAttributes?.namespace ?? "";
    return [
      ...validateSubject(object),
      ...validateBare({ ...object, metadata }, "must be empty except for namespace"),
      ...(resourceAttributes === undefined || asked === namespace
        ? []
        : [fieldError.invalid(`${resource}.namespace`, asked, "must match metadata.namespace")]),
      ...(nonResourceAttributes === undefined
        ? []
        : [fieldError.invalid(nonResource, nonResourceAttributes, "disallowed on this kind of request")]),
    ];
  },
}));

function validateSubject(object: AccessReview): FieldError[] {
  const { user = "", groups = [] } = object.spec ?? {};
  return [
    ...validateOneQuestion(object),
    ...(user === "" && groups.length === 0
      ? [fieldError.invalid(`${spec}.user`, user, "at least one of user or group must be specified")]
      : []),
    ...validateSelectors(object.spec?.resourceAttributes),
  ];
}

function validateOneQuestion(object: AccessReview): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = object.spec ?? {};
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    return [fieldError.invalid(resource, undefined, detail)];
  }
  if (resourceAttributes === undefined || nonResourceAttributes === undefined) return [];
  const detail = "cannot be specified in combination with resourceAttributes";
  return [fieldError.invalid(nonResource, nonResourceAttributes, detail)];
}

function validateSelectors({ fieldSelector, labelSelector }: AskedResource = {}): FieldError[] {
  return [
    ...validateSelector(fieldSelector, `${resource}.fieldSelector`, validateFieldRequirement),
    ...validateSelector(labelSelector, `${resource}.labelSelector`, validateLabelRequirement),
  ];
}

function validateSelector(
  selector: AskedSelector | undefined,
  at: string,
  validateRequirement: (requirement: AskedRequirement, at: string) => FieldError[],
): FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = "", requirements = [] } = selector;
  if (rawSelector.length > maxSelectorLength) return [fieldError.tooLong(`${at}.rawSelector`, maxSelectorLength)];
  if (requirements.length > maxRequirements) {
    return [fieldError.tooMany(`${at}.requirements`, requirements.length, maxRequirements)];
  }
  const none = rawSelector === "" && requirements.length === 0;
  return [
    ...(rawSelector !== "" && requirements.length > 0
      ? [fieldError.invalid(`${at}.rawSelector`, rawSelector, "may not specified at the same time as requirements")]
      : []),
    ...(none
      ? [fieldError.required(`${at}.requirements`, `when ${at} is specified, requirements or rawSelector is required`)]
      : []),
    ...requirements.flatMap((requirement, i) => validateRequirement(requirement, `${at}.requirements[${i}]`)),
  ];
}

function validateFieldRequirement(requirement: AskedRequirement, at: string): FieldError[] {
  const { key = "" } = requirement;
  return [
    ...(key === "" ? [fieldError.required(`${at}.key`, "must be specified")] : []),
    ...validateValueCount(requirement, at),
  ];
}

function validateLabelRequirement(requirement: AskedRequirement, at: string): FieldError[] {
  const { key = "", values = [] } = requirement;
  return [
    ...validateValueCount(requirement, at),
    ...qualifiedName(key).map((problem) => fieldError.invalid(`${at}.key`, key, problem)),
    ...values.flatMap((value, i) =>
      labelValue(value).map((problem) => fieldError.invalid(`${at}.values[${i}]`, value, problem)),
    ),
  ];
}

/** Operators that are not known may come from newer clients: they are no error here. */
function validateValueCount({ operator = "", values = [] }: AskedRequirement, at: string): FieldError[] {
  if (values.length > maxValues) return [fieldError.tooMany(`${at}.values`, values.length, maxValues)];
  const many = operator === "In" || operator === "NotIn";
  const none = operator === "Exists" || operator === "DoesNotExist";
  return [
    ...(many && values.length === 0
      ? [fieldError.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
      : []),
    ...(none && values.length > 0
      ? [fieldError.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
      : []),
  ];
}

/** A question has no identity; who asked through which client is not looked at. */
function validateBare({ metadata }: AccessReview, detail: string): FieldError[] {
  const { managedFields: _managed, ...rest } = metadata;
  return Object.keys(rest).length === 0 ? [] : [fieldError.invalid("metadata", metadata, detail)];
}

export const authorizationBehaviors: Behaviors = [
  ["authorization/v1.LocalSubjectAccessReview", localReview],
  ["authorization/v1.SelfSubjectAccessReview", selfReview],
  ["authorization/v1.SubjectAccessReview", subjectReview],
];
