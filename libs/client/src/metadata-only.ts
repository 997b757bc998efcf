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
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}
