import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { type Behaviors, behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface Selector {
  readonly rawSelector?: string;
  readonly requirements?: readonly Requirement[];
}

interface ResourceAttributes {
  readonly namespace?: string;
  readonly fieldSelector?: Selector;
  readonly labelSelector?: Selector;
}

interface Review extends ApiObject {
  readonly spec?: {
    readonly resourceAttributes?: ResourceAttributes;
    readonly nonResourceAttributes?: object;
    readonly user?: string;
    readonly groups?: readonly string[];
  };
}

const spec = "spec";
const resource = `${spec}.resourceAttributes`;
const nonResource = `${spec}.nonResourceAttributes`;

const selfReview = behavior<Review>(() => ({
  validate: (object) => [...validateAttributes(object), ...validateBare(object, "must be empty")],
}));

const subjectReview = behavior<Review>(() => ({
  validate: (object) => [...validateSubject(object), ...validateBare(object, "must be empty")],
}));

/** Of one namespace: metadata and question name the same. */
const localReview = behavior<Review>(() => ({
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

function validateSubject(object: Review): FieldError[] {
  const { user = "", groups = [] } = object.spec ?? {};
  return [
    ...validateAttributes(object),
    ...(user === "" && groups.length === 0
      ? [fieldError.invalid(`${spec}.user`, user, "at least one of user or group must be specified")]
      : []),
  ];
}

function validateAttributes(object: Review): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = object.spec ?? {};
  if (resourceAttributes === undefined) {
    if (nonResourceAttributes !== undefined) return [];
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    return [fieldError.invalid(resource, undefined, detail)];
  }
  return [
    ...(nonResourceAttributes === undefined
      ? []
      : [
          fieldError.invalid(
            nonResource,
            nonResourceAttributes,
            "cannot be specified in combination with resourceAttributes",
          ),
        ]),
    ...(["fieldSelector", "labelSelector"] as const).flatMap((name) =>
      validateSelector(resourceAttributes[name], `${resource}.${name}`),
    ),
  ];
}

function validateSelector(selector: Selector | undefined, at: string): FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = "", requirements = [] } = selector;
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

/** Operators that are not known may come from newer clients: they are no error here. */
function validateRequirement({ key = "", operator = "", values = [] }: Requirement, at: string): FieldError[] {
  const many = operator === "In" || operator === "NotIn";
  const none = operator === "Exists" || operator === "DoesNotExist";
  return [
    ...(key === "" ? [fieldError.required(`${at}.key`, "must be specified")] : []),
    ...(many && values.length === 0
      ? [fieldError.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
      : []),
    ...(none && values.length > 0
      ? [fieldError.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
      : []),
  ];
}

/** A question has no identity; who asked through which client is not looked at. */
function validateBare({ metadata }: Review, detail: string): FieldError[] {
  const { managedFields: _managed, ...rest } = metadata;
  return Object.keys(rest).length === 0 ? [] : [fieldError.invalid("metadata", metadata, detail)];
}

export const authorizationBehaviors: Behaviors = [
  ["authorization/v1.LocalSubjectAccessReview", localReview],
  ["authorization/v1.SelfSubjectAccessReview", selfReview],
  ["authorization/v1.SubjectAccessReview", subjectReview],
];
