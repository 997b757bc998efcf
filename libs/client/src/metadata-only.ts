import type { Naming } from "@orch/naming/naming.js";

/** Media types of answers that show of each object its metadata alone (spec 1: Media types), as JSON. */
export function metadataOnly(naming: Naming): { readonly list: string; readonly object: string } {
  const as = (kind: string): string => `application/json;as=${kind};g=${naming.metaGroup};v=v1`;
  return { list: as("PartialObjectMetadataList"), object: as("PartialObjectMetadata") };
}
