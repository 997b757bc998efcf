import type { Pod } from "@orch/api/kinds/core/pod/types.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { findStored } from "../../write/storing/stored.js";
import { builtIn, longestName, type Write } from "../../write/write.js";
import type { AdmissionPlugin } from "../admission.js";
import { refused } from "../refused.js";
import { overheadProblem, type RuntimeClass, withRuntime } from "./decide.js";

/** A new pod of a runtime class counts what the class costs beside its containers, and goes where the class runs. */
export function runtimeClass(naming: Naming): AdmissionPlugin {
  const apiVersion = `${naming.group("node")}/v1`;
  const found = new WeakMap<Write, RuntimeClass>();

  /** Undefined for a pod of no class. @throws ApiError Forbidden where there is no such class */
  const classOf = async (write: Write, pod: AnyObject): Promise<RuntimeClass | undefined> => {
    const { spec }: Pod & { readonly spec?: { readonly runtimeClassName?: string } } = pod;
    const name = spec?.runtimeClassName;
    if (name === undefined) return undefined;
    const known = found.get(write);
    if (known?.metadata.name === name) return known;
    const kind = builtIn(write, apiVersion, "RuntimeClass");
    const isName = name !== "" && name.length <= longestName;
    const chosen = isName ? await findStored(write, kind, name) : undefined;
    if (chosen === undefined) {
      throw refused(write, pod, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
    }
    found.set(write, chosen);
    return chosen;
  };

  return {
    name: "RuntimeClass",
    handles: ({ group, plural }, subresource) => group === "" && plural === "pods" && subresource === "",
    async mutateCreate(write, object) {
      const chosen = await classOf(write, object);
      if (chosen === undefined) return object;
      const { spec = {} }: Pod = object;
      const decided = withRuntime(spec, chosen);
      if (typeof decided === "string") throw refused(write, object, decided);
      return { ...object, spec: decided };
    },
    async validate({ write, object, old }) {
      if (old !== undefined) return;
      const { spec = {} }: Pod = object;
      const problem = overheadProblem(spec, await classOf(write, object));
      if (problem !== undefined) throw refused(write, object, problem);
    },
  };
}
