import type { View } from "@orch/client/mirror.js";
import type { Handlers } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { ControllerTools } from "../tools.js";

export const namespaces = { group: "", version: "v1", resource: "namespaces" };

/** Follows the metadata of namespaces: that one is being deleted stands there. */
export function watchNamespaces(
  tools: Pick<ControllerTools, "mirror">,
  options: { readonly handlers: Handlers; readonly onError: (error: unknown) => void },
): View<ApiObject> {
  return tools.mirror.view({
    collection: namespaces,
    sees: "metadata",
    keep: ({ metadata: { managedFields: _fields, annotations: _annotations, labels: _labels, ...metadata } }) => ({
      metadata,
    }),
    ...options,
  });
}

export const isTerminating = ({ metadata }: ApiObject): boolean => typeof metadata["deletionTimestamp"] === "string";
