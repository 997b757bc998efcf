import type { Pod } from "@orch/api/kinds/core/pod/types.js";
import type { Naming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";
import { cut } from "@orch/status/cut.js";
import { readJson } from "@orch/status/read-json.js";

/** What the backend is asked. */
export interface ReviewSpec {
  readonly containers: readonly { readonly image: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace: string;
}

/** What it answers. */
export interface ReviewStatus {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** The images of a pod, or those of its containers for debugging alone, and the annotations that are meant for the backend. */
export function reviewOf(
  { metadata, spec = {} }: Pod,
  of: { readonly subresource: string; readonly namespace: string },
  naming: Naming,
): ReviewSpec {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  const reviewed = of.subresource === "" ? [...containers, ...initContainers] : ephemeralContainers;
  const domain = `.${naming.group("image-policy")}/`;
  const told = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes(domain));
  return {
    containers: reviewed.map(({ image = "" }) => ({ image })),
    ...(told.length === 0 ? {} : { annotations: Object.fromEntries(told) }),
    namespace: of.namespace,
  };
}

export function reviewBody(spec: ReviewSpec, naming: Naming): Buffer {
  const apiVersion = `${naming.group("imagepolicy")}/v1alpha1`;
  return Buffer.from(
    JSON.stringify({ kind: "ImageReview", apiVersion, metadata: {}, spec, status: { allowed: false } }),
  );
}

/** Of what writers of pods are told. */
const longestReason = 16 << 10;

/** @throws Error for an answer that is no review */
export function readStatus(body: Buffer): ReviewStatus {
  const answer: unknown = readJson(body.toString("utf8"));
  if (!isObject(answer)) throw new Error("the answer of the image policy backend is no object");
  const status = answer["status"] ?? {};
  if (!isObject(status)) throw new Error("the answer of the image policy backend has no status");
  const { allowed = false, reason = "", auditAnnotations } = status;
  if (typeof allowed !== "boolean" || typeof reason !== "string") {
    throw new Error("the status in the answer of the image policy backend is of the wrong type");
  }
  const notes = isObject(auditAnnotations) ? Object.entries(auditAnnotations) : [];
  const texts = notes.flatMap(([key, value]) => (typeof value === "string" ? [[key, value] as const] : []));
  return { allowed, reason: cut(reason, longestReason), auditAnnotations: Object.fromEntries(texts) };
}
