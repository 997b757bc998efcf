import { protectionOf } from "@orch/api/kinds/core/volume-protection.js";
import type { Naming } from "@orch/naming/naming.js";
import type { AdmissionPlugin } from "./admission.js";

/** A claim and a volume do not go before the controllers say that nothing uses them: they are born with a finalizer. */
export function storageObjectInUseProtection(naming: Naming): AdmissionPlugin {
  return {
    name: "StorageObjectInUseProtection",
    handles: ({ group, plural }, subresource) =>
      group === "" && subresource === "" && protectionOf(plural, naming) !== undefined,
    mutateCreate({ kind }, object) {
      const finalizer = protectionOf(kind.plural, naming);
      const { finalizers = [] } = object.metadata;
      if (finalizer === undefined || finalizers.includes(finalizer)) return object;
      return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
    },
  };
}
