import type { Pod, Toleration } from "@orch/api/kinds/core/pod/types.js";
import { isExtended } from "@orch/api/kinds/core/resource-names.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import type { AdmissionPlugin } from "../admission.js";
import { isPod } from "./is-pod.js";

/** A pod that asks for a device may run on the nodes that are kept for pods that do. */
export function extendedResourceToleration(naming: Naming): AdmissionPlugin {
  const tolerating = (object: AnyObject): AnyObject => {
    const { spec = {} }: Pod = object;
    const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
    const names = containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {}));
    const devices = [...new Set(names.filter((name) => isExtended(name, naming)))].sort();
    const given = spec.tolerations ?? [];
    const missing = devices.map(tolerationOf).filter((one) => !given.some((each) => isSame(each, one)));
    return missing.length === 0 ? object : { ...object, spec: { ...spec, tolerations: [...given, ...missing] } };
  };
  return {
    name: "ExtendedResourceToleration",
    handles: isPod,
    mutateCreate: (_write, object) => tolerating(object),
    mutateUpdate: (_write, object) => tolerating(object),
  };
}

const tolerationOf = (key: string): Toleration => ({ key, operator: "Exists", effect: "NoSchedule" });

function isSame(a: Toleration, b: Toleration): boolean {
  return a.key === b.key && a.effect === b.effect && a.operator === b.operator && (a.value ?? "") === (b.value ?? "");
}
