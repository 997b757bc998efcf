import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { validateObjectMeta } from "@orch/schema/object-meta.js";
import { badRequest, internalError } from "@orch/status/api-error.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { Kind } from "./catalog.js";
import { type LabelSelector, selectorText } from "./kinds/shared/label-selector.js";
import { type AnyObject, valueAt } from "./object.js";

/** The version whose selector is a text alone; the older ones have labels too. */
const textVersion = "autoscaling/v1";

/**
 * The Scale of a stored object (in its hub's version): of a built-in kind one that has `spec.replicas` and `spec.selector`, in one of the
 * versions of Scale: `autoscaling/v1`, `apps/v1beta1`, `apps/v1beta2`, `extensions/v1beta1`.
 * @throws ApiError InternalError for a custom resource without a size
 */
export function scaleOf(kind: Kind, object: AnyObject, scaleVersion: string): AnyObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const custom = kind.scale;
  const replicas = custom === undefined ? numberAt(object, "spec.replicas") : sizeAt(object, custom.replicas);
  const selector = custom === undefined ? selectorOf(kind, object) : {};
  const text = custom === undefined ? selectorText(selector) : textAt(object, custom.selector);
  const statusReplicas = custom?.statusReplicas.join(".") ?? "status.replicas";
  return {
    kind: "Scale",
    apiVersion: scaleVersion,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(object, statusReplicas),
      ...(scaleVersion === textVersion ? textOnly(text) : withLabels(selector, text)),
    },
  };
}

function textOnly(text: string): object {
  return text === "" ? {} : { selector: text };
}

/** The labels where they say all; the text always. */
function withLabels({ matchLabels = {}, matchExpressions = [] }: LabelSelector, text: string): object {
  if (text === "") return {};
  return { ...(matchExpressions.length === 0 ? { selector: matchLabels } : {}), targetSelector: text };
}

/** ReplicationControllers are of the time before selectors: they have labels. */
function selectorOf(kind: Kind, object: AnyObject): LabelSelector {
  const selector = valueAt(object, "spec.selector");
  if (!isObject(selector)) return {};
  // Decoded as the kind's own type.
  return kind.kind === "ReplicationController" ? ({ matchLabels: selector } as LabelSelector) : selector;
}

/** @throws ApiError InternalError */
function sizeAt(object: AnyObject, path: readonly string[]): number {
  const value = valueAt(object, path.join("."));
  if (typeof value === "number") return value;
  throw internalError(`the spec replicas field ${JSON.stringify(`.${path.join(".")}`)} does not exist`);
}

/** The size of a custom resource that has none while its Scale is written: none that anybody asks for. */
export const unsetSize = -(2 ** 31);

/** A custom resource whose Scale is written may be without a size until then, and not after it. */
export function withSize({ scale }: Kind, object: AnyObject, size: 0 | typeof unsetSize): AnyObject {
  if (scale === undefined || valueAt(object, scale.replicas.join(".")) !== undefined) return object;
  return { ...withMember(object, scale.replicas, size), metadata: object.metadata };
}

function textAt(object: AnyObject, path: readonly string[] | undefined): string {
  const value = path === undefined ? undefined : valueAt(object, path.join("."));
  return typeof value === "string" ? value : "";
}

function numberAt(object: AnyObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : 0;
}

/**
 * The stored object with the size that a Scale asks for, and the resourceVersion that the Scale names, if any.
 * @throws ApiError BadRequest where a custom resource would be without a size still
 */
export function withScale({ scale: paths }: Kind, object: AnyObject, scale: AnyObject): AnyObject {
  const { resourceVersion = "" } = scale.metadata;
  if (paths !== undefined && numberAt(scale, "spec.replicas") === unsetSize) {
    throw badRequest(`the spec replicas field ${JSON.stringify(`.${paths.replicas.join(".")}`)} cannot be empty`);
  }
  return {
    ...withMember(object, paths?.replicas ?? ["spec", "replicas"], numberAt(scale, "spec.replicas")),
    metadata: { ...object.metadata, ...(resourceVersion === "" ? {} : { resourceVersion }) },
  };
}

/** The same tree with a value at a path. */
function withMember(tree: unknown, [name, ...below]: readonly string[], value: unknown): JsonObject {
  const members = isObject(tree) ? tree : {};
  if (name === undefined) return members;
  return { ...members, [name]: below.length === 0 ? value : withMember(members[name], below, value) };
}

/** Everything wrong with a Scale that is written, of an object of this kind. */
export function validateScale(kind: Kind, scale: AnyObject): readonly FieldError[] {
  const replicas = numberAt(scale, "spec.replicas");
  return [
    ...validateObjectMeta(scale.metadata, { ...kind.metaRules, nameFormat: "dnsSubdomain" }),
    // The size of a custom resource is judged with all of it.
    ...(kind.scale === undefined && replicas < 0
      ? [fieldError.invalid("spec.replicas", replicas, "must be greater than or equal to 0")]
      : []),
  ];
}
