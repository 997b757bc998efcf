import { metadataOnly } from "@orch/client/metadata-only.js";
import type { ApiObject } from "@orch/client/objects.js";
import { createReflector, type Handlers, type Reflector } from "@orch/client/reflector.js";
import type { ControllerTools } from "../tools.js";

export const namespaces = { group: "", version: "v1", resource: "namespaces" };

/** Follows the metadata of namespaces: that one is being deleted stands there. */
export function watchNamespaces(
  tools: ControllerTools,
  options: { readonly handlers: Handlers; readonly onError: (error: unknown) => void },
): Reflector {
  const { client, clock, random, naming } = tools;
  return createReflector({
    client,
    collection: namespaces,
    accept: metadataOnly(naming),
    keep: ({ metadata: { managedFields: _fields, annotations: _annotations, labels: _labels, ...metadata } }) => ({
      metadata,
    }),
    clock,
    random,
    ...options,
  });
}

export const isTerminating = ({ metadata }: ApiObject): boolean => typeof metadata["deletionTimestamp"] === "string";
