import type { OtherObjects } from "../../cluster/objects.js";
import type { Plugin } from "../../framework/plugin.js";
import { skip, unschedulable } from "../../framework/status.js";
import type { PodInfo } from "../../model/pod-info.js";
import { claimsOf, classOf } from "./claims.js";

const name = "NodeVolumeLimits";
const full = unschedulable(name, "node(s) exceed max volume count");

interface Attached {
  readonly driver: string;
  /** The same for pods that share the volume. */
  readonly id: string;
}

/** How many volumes of a driver a node attaches. */
export function volumeLimits(classAnnotation: string): Plugin {
  const attachedBy = (pod: PodInfo, objects: OtherObjects): readonly Attached[] =>
    claimsOf(pod).flatMap(({ key }): readonly Attached[] => {
      const claim = objects.PersistentVolumeClaim.get(key);
      if (claim === undefined) return [];
      const csi = objects.PersistentVolume.get(claim.spec?.volumeName ?? "")?.spec?.csi;
      if (csi !== undefined) return [{ driver: csi.driver ?? "", id: csi.volumeHandle ?? "" }];
      // Not there yet: whoever provisions the class will make it.
      const provisioner = objects.StorageClass.get(classOf(claim, classAnnotation))?.provisioner;
      return provisioner === undefined ? [] : [{ driver: provisioner, id: `claim ${key}` }];
    });
  return {
    name,
    preFilter: ({ pod, cluster: { objects } }) => {
      const wanted = attachedBy(pod, objects);
      if (wanted.length === 0) return skip;
      return {
        code: "Ready",
        filter: (node) => {
          const drivers = objects.CSINode.get(node.name)?.spec?.drivers ?? [];
          const limits = new Map(
            drivers.flatMap(({ name: driver = "", allocatable }) =>
              allocatable?.count === undefined ? [] : [[driver, allocatable.count] as const],
            ),
          );
          if (!wanted.some(({ driver }) => limits.has(driver))) return undefined;
          const held = node.pods.flatMap((other) => attachedBy(other, objects));
          for (const [driver, limit] of limits) {
            const ids = (list: readonly Attached[]) =>
              list.filter((each) => each.driver === driver).map(({ id }) => id);
            const own = ids(wanted);
            if (own.length > 0 && new Set([...ids(held), ...own]).size > limit) return full;
          }
          return undefined;
        },
      };
    },
    filter: "prepared",
    events: [
      { resource: "CSINode", actions: ["Add", "Update"] },
      {
        resource: "AssignedPod",
        actions: ["Delete"],
        hint: (_, event) =>
          event.resource === "AssignedPod" && event.before !== undefined && claimsOf(event.before).length > 0,
      },
      { resource: "PersistentVolumeClaim", actions: ["Add"] },
    ],
  };
}
