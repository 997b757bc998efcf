import { notFound } from "@orch/status/api-error.js";
import type { Mirror } from "../../mirror.js";
import type { Write } from "../../write/write.js";
import type { AdmissionPlugin } from "../admission.js";
import { namespaceOf } from "../namespace-of.js";

/** Nothing is written in a namespace that is not there, what lies there still included. */
export function namespaceExists(namespaces: Mirror): AdmissionPlugin {
  const check = async (write: Write): Promise<void> => {
    const { namespace } = write.request;
    if (namespace === "" || (await namespaceOf(write, namespaces)) !== undefined) return;
    throw notFound({ group: "", resource: "namespaces" }, namespace);
  };
  return {
    name: "NamespaceExists",
    handles: ({ namespaced }) => namespaced,
    validate: ({ write }) => check(write),
    validateDelete: check,
  };
}
