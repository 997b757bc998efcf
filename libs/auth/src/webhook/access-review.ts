import type { Naming } from "@orch/naming/naming.js";
import type { ReviewVersion } from "../authorization-config/authorization-config.js";
import type { Attributes, ResourceAttributes } from "../authorizer.js";
import { isJsonObject, type JsonObject } from "../json.js";
import { flagOf, shortened, statusOf, textOf } from "./answer.js";
import { selectorRequirements } from "./selector-requirements.js";

/** What a webhook said. */
export interface ReviewStatus {
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly reason: string;
}

export interface AccessReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: object;
}

/** A SubjectAccessReview of these attributes. Equal attributes give equal texts: their JSON is what answers are kept by. */
export function accessReview(attributes: Attributes, version: ReviewVersion, naming: Naming): AccessReview {
  const { user } = attributes;
  const extra = Object.entries(user.extra).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    apiVersion: `${naming.group("authorization")}/${version}`,
    kind: "SubjectAccessReview",
    spec: withoutEmpty({
      ...(attributes.kind === "resource"
        ? { resourceAttributes: resourceOf(attributes) }
        : { nonResourceAttributes: withoutEmpty({ path: attributes.path, verb: attributes.verb }) }),
      user: user.name,
      // The first version had another name for them.
      ...(version === "v1beta1" ? { group: user.groups } : { groups: user.groups }),
      extra: extra.length === 0 ? undefined : Object.fromEntries(extra),
      uid: user.uid,
    }),
  };
}

function resourceOf(attributes: ResourceAttributes): object {
  const { namespace, verb, group, version, resource, subresource, name } = attributes;
  return withoutEmpty({
    namespace,
    verb,
    group,
    version,
    resource,
    subresource,
    name,
    ...selectorRequirements(attributes),
  });
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

const withoutEmpty = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));

/** The answer to a review, and what went wrong on the other side. @throws WebhookError */
export function reviewAnswer(
  answer: unknown,
  review: AccessReview,
): { readonly status: ReviewStatus; readonly evaluationError: string } {
  const fields = statusOf(answer, review);
  return {
    status: {
      allowed: flagOf(fields, "allowed"),
      denied: flagOf(fields, "denied"),
      reason: shortened(textOf(fields, "reason")),
    },
    evaluationError: shortened(textOf(fields, "evaluationError")),
  };
}

/** A status that was kept elsewhere; undefined where it is none. */
export function readReviewStatus(value: unknown): ReviewStatus | undefined {
  if (!isJsonObject(value)) return undefined;
  const { allowed, denied, reason } = value;
  if (typeof allowed !== "boolean" || typeof denied !== "boolean" || typeof reason !== "string") return undefined;
  return { allowed, denied, reason };
}
