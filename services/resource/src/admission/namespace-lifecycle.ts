import type { Naming } from "@orch/naming/naming.js";
import type { AdmissionPlugin } from "./admission.js";
import { refused } from "./refused.js";

export const namespaceLifecycleName = "NamespaceLifecycle";

/**
 * The namespaces of the system stay. That nothing is created in a namespace that is not there, or that goes, is a step
 * of every create (`namespaces.ts`), which asks no plugin.
 */
export function namespaceLifecycle(naming: Naming): AdmissionPlugin {
  const kept = naming.systemNamespaces.filter((name) => !name.endsWith("node-lease"));
  return {
    name: namespaceLifecycleName,
    handles: ({ group, kind }, subresource) => group === "" && kind === "Namespace" && subresource === "",
    validateDelete(write, old) {
      if (kept.includes(old.metadata.name ?? "")) throw refused(write, old, "this namespace may not be deleted");
    },
  };
}
