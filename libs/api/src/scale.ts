import { isObject } from "@orch/schema/descriptor.js";
import { validateObjectMeta } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { Kind } from "./catalog.js";
import { type LabelSelector, selectorText } from "./kinds/shared/label-selector.js";
import { type AnyObject, valueAt } from "./object.js";

/** The version whose selector is a text alone; the older ones have labels too. */
const textVersion = "autoscaling/v1";

/**
 * The Scale of a stored object (in its hub's version) that has `spec.replicas` and `spec.selector`, in one of the
 * versions of Scale: `autoscaling/v1`, `apps/v1beta1`, `apps/v1beta2`, `extensions/v1beta1`.
 */
export function scaleOf(kind: Kind, object: AnyObject, scaleVersion: string): AnyObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = numberAt(object, "spec.replicas");
  const selector = selectorOf(kind, object);
  const text = selectorText(selector);
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
      replicas: numberAt(object, "status.replicas"),
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

function numberAt(object: AnyObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : 0;
}

/** The stored object with the size that a Scale asks for, and the resourceVersion that it was read at. */
export function withScale(object: AnyObject, scale: AnyObject): AnyObject {
  const { resourceVersion: _stored, ...metadata } = object.metadata;
  const { resourceVersion } = scale.metadata;
  const spec = isObject(object["spec"]) ? object["spec"] : {};
  return {
    ...object,
    metadata: { ...metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    spec: { ...spec, replicas: numberAt(scale, "spec.replicas") },
  };
}

/** Everything wrong with a Scale that is written, of an object of this kind. */
export function validateScale(kind: Kind, scale: AnyObject): readonly FieldError[] {
  const replicas = numberAt(scale, "spec.replicas");
  return [
    ...validateObjectMeta(scale.metadata, { ...kind.metaRules, nameFormat: "dnsSubdomain" }),
    ...(replicas < 0 ? [fieldError.invalid("spec.replicas", replicas, "must be greater than or equal to 0")] : []),
  ];
}
