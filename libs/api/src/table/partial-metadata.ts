import type { Naming } from "@orch/naming/naming.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";
import type { ApiObject } from "../object.js";

/** An object of any kind without what the kind adds (rules: Table representation: the object of a row). */
export interface PartialObjectMetadata {
  readonly kind: "PartialObjectMetadata";
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}

/** In the version of the meta group that the client asked for. */
export function partialMetadata(
  object: ApiObject,
  naming: Naming,
  version: "v1" | "v1beta1" = "v1",
): PartialObjectMetadata {
  return { kind: "PartialObjectMetadata", apiVersion: `${naming.metaGroup}/${version}`, metadata: object.metadata };
}
