import { type Container, containersOf, type Pod, type PodSpec } from "@orch/api/kinds/core/pod/types.js";
import type { AnyObject } from "@orch/api/object.js";
import type { AdmissionPlugin } from "../admission.js";
import { refused } from "../refused.js";
import { isPod } from "./is-pod.js";

const always = "Always";
const lists = ["initContainers", "containers", "ephemeralContainers"] as const;

/** Nobody runs an image that he may not pull, only because it lies on a node already. */
export function alwaysPullImages(): AdmissionPlugin {
  return {
    name: "AlwaysPullImages",
    handles: isPod,
    mutateCreate: (_write, object) => pulling(object),
    mutateUpdate: (_write, object, old) => (addsImage(object, old) ? pulling(object) : object),
    validate({ write, object, old }) {
      if (old !== undefined && !addsImage(object, old)) return;
      const { spec = {} }: Pod = object;
      const problems = containersOf(spec, lists).flatMap(({ container, at }) =>
        container.imagePullPolicy === always
          ? []
          : `spec.${at}.imagePullPolicy: Unsupported value: ${JSON.stringify(container.imagePullPolicy ?? "")}: supported values: "${always}"`,
      );
      const [first, ...others] = problems;
      if (first === undefined) return;
      throw refused(write, object, others.length === 0 ? first : `[${problems.join(", ")}]`);
    },
  };
}

function pulling(object: AnyObject): AnyObject {
  const { spec = {} }: Pod = object;
  const pulled = (containers: readonly Container[]): readonly Container[] =>
    containers.map((container) => ({ ...container, imagePullPolicy: always }));
  const given = lists.flatMap((list) => {
    const containers = spec[list];
    return containers === undefined ? [] : [[list, pulled(containers)] as const];
  });
  return { ...object, spec: { ...spec, ...Object.fromEntries(given) } };
}

function addsImage(object: AnyObject, old: AnyObject): boolean {
  const before = imagesOf(old);
  return [...imagesOf(object)].some((image) => !before.has(image));
}

function imagesOf({ spec = {} }: Pod & { readonly spec?: PodSpec }): ReadonlySet<string> {
  return new Set(containersOf(spec).map(({ container }) => container.image ?? ""));
}
