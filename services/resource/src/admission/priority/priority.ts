import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Mirror } from "../../mirror.js";
import { findStored } from "../../write/storing/stored.js";
import { builtIn, longestName, type Write } from "../../write/write.js";
import type { AdmissionPlugin } from "../admission.js";
import { refused } from "../refused.js";
import { defaultOf, type PrioritizedSpec, type PriorityClass, withKeptPriority, withPriority } from "./decide.js";

/** Gives every new pod the priority of its class, and keeps the default class the only one. */
export function priority(naming: Naming, classes: Mirror): AdmissionPlugin {
  const group = naming.group("scheduling");
  const isClass = (kind: Kind): boolean => kind.group === group;

  /** @throws ApiError Forbidden where there is no such class */
  const classOf = async (write: Write, pod: AnyObject): Promise<PriorityClass | undefined> => {
    const name = specOf(pod).priorityClassName ?? "";
    if (name === "") return defaultOf(classes.inNamespace(""));
    const found = classes.find("", name) ?? (await lookUp(write, group, name));
    if (found === undefined) throw refused(write, pod, `no PriorityClass with name ${name} was found`);
    return found;
  };

  return {
    name: "Priority",
    handles: (kind, subresource) =>
      subresource === "" &&
      ((kind.group === "" && kind.plural === "pods") || (isClass(kind) && kind.plural === "priorityclasses")),
    async mutateCreate(write, object) {
      if (isClass(write.kind)) return object;
      const spec = withPriority(specOf(object), await classOf(write, object));
      if (typeof spec === "string") throw refused(write, object, spec);
      return { ...object, spec };
    },
    mutateUpdate({ kind }, object, old) {
      if (isClass(kind)) return object;
      const spec = specOf(object);
      const kept = withKeptPriority(spec, specOf(old));
      return kept === spec ? object : { ...object, spec: kept };
    },
    validate({ write, object, old }) {
      const given: PriorityClass = object;
      if (!isClass(write.kind) || given.globalDefault !== true) return;
      const name = defaultOf(classes.inNamespace(""))?.metadata.name;
      if (name === undefined || (old !== undefined && name === object.metadata.name)) return;
      const why = `PriorityClass ${name} is already marked as default. Only one default can exist`;
      throw refused(write, object, why);
    },
  };
}

function specOf(object: AnyObject): PrioritizedSpec {
  const { spec = {} }: AnyObject & { readonly spec?: PrioritizedSpec } = object;
  return spec;
}

/** Just made, perhaps: the mirror is a moment behind. */
async function lookUp(write: Write, group: string, name: string): Promise<PriorityClass | undefined> {
  if (name.length > longestName) return undefined;
  return findStored(write, builtIn(write, `${group}/v1`, "PriorityClass"), name);
}
