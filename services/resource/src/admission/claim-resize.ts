import { type AnyObject, type ApiObject, valueAt } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { compareQuantities } from "@orch/schema/formats/quantity.js";
import { findStored } from "../write/storing/stored.js";
import { builtIn, longestName, type Write } from "../write/write.js";
import type { AdmissionPlugin } from "./admission.js";
import { refused } from "./refused.js";

interface Claim extends ApiObject {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  };
  readonly status?: { readonly phase?: string };
}

/** A claim grows only where it is bound and its class lets its volumes grow. */
export function persistentVolumeClaimResize(naming: Naming): AdmissionPlugin {
  const annotation = `volume.beta.${naming.key("storage-class")}`;
  const classOf = ({ metadata, spec }: Claim): string =>
    metadata.annotations?.[annotation] ?? spec?.storageClassName ?? "";
  return {
    name: "PersistentVolumeClaimResize",
    handles: ({ group, plural }, subresource) =>
      group === "" && plural === "persistentvolumeclaims" && subresource === "",
    async validate({ write, object, old }) {
      if (old === undefined || compareQuantities(sizeOf(object), sizeOf(old)) <= 0) return;
      const before: Claim = old;
      if (before.status?.phase !== "Bound") {
        throw refused(write, object, "Only bound persistent volume claims can be expanded");
      }
      const name = classOf(object);
      if (name !== "" && name === classOf(before) && (await mayExpand(write, naming, name))) return;
      const why =
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
      throw refused(write, object, why);
    },
  };
}

function sizeOf(object: AnyObject): string {
  const { spec }: Claim = object;
  return spec?.resources?.requests?.["storage"] ?? "0";
}

async function mayExpand(write: Write, naming: Naming, name: string): Promise<boolean> {
  if (name.length > longestName) return false;
  const found = await findStored(write, builtIn(write, `${naming.group("storage")}/v1`, "StorageClass"), name);
  return found !== undefined && valueAt(found, "allowVolumeExpansion") === true;
}
