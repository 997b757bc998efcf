import type { Naming } from "@orch/naming/naming.js";
import type { ApiObject } from "./objects.js";

/** Media types of answers that show of each object its metadata alone (rules: Media types and headers), as JSON. */
export function metadataOnly(naming: Naming): { readonly list: string; readonly object: string } {
  const as = (kind: string): string => `application/json;as=${kind};g=${naming.metaGroup};v=v1`;
  return { list: as("PartialObjectMetadataList"), object: as("PartialObjectMetadata") };
}

/** Which object it is and in which version: the least that a reflector's store must keep. */
export function identityOnly({ metadata }: ApiObject): ApiObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  // The usual case: there may be very many, and one shape takes less of everything.
  if (name !== undefined && namespace !== undefined && uid !== undefined && resourceVersion !== undefined)
    return { metadata: { name, namespace, uid, resourceVersion } };
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}
