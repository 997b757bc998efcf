import type { Naming } from "@orch/naming/naming.js";
import type { Plugin } from "../../framework/plugin.js";
import { skip, unresolvable } from "../../framework/status.js";
import { classOf, listedClaimsOf } from "./claims.js";

const name = "VolumeZone";
const elsewhere = unresolvable(name, "node(s) had no available volume zone");

interface Place {
  readonly key: string;
  /** The same label by its name of today. */
  readonly current: string;
  readonly values: ReadonlySet<string>;
}

/** Volumes that say by labels in which zones they are; `a__b` is a or b. */
export function volumeZone(naming: Naming, classAnnotation: string): Plugin {
  const labels = ["zone", "region"].flatMap((part) => {
    const current = `topology.${naming.key(part)}`;
    return [
      { key: current, current },
      { key: `failure-domain.beta.${naming.key(part)}`, current },
    ];
  });
  const placesOf = (of: Readonly<Record<string, string>>): readonly Place[] =>
    labels.flatMap(({ key, current }) =>
      Object.hasOwn(of, key) ? [{ key, current, values: new Set((of[key] ?? "").split("__")) }] : [],
    );
  return {
    name,
    preFilter: ({ pod, cluster: { objects } }) => {
      const places: Place[] = [];
      for (const { key, name: claimName } of listedClaimsOf(pod)) {
        const claim = objects.PersistentVolumeClaim.get(key);
        if (claim === undefined) {
          return unresolvable(name, `persistentvolumeclaim ${JSON.stringify(claimName)} not found`);
        }
        const volumeName = claim.spec?.volumeName ?? "";
        if (volumeName === "") {
          const className = classOf(claim, classAnnotation);
          if (className === "") return unresolvable(name, "PersistentVolumeClaim had no pv name and storageClass name");
          const storageClass = objects.StorageClass.get(className);
          if (storageClass === undefined) {
            return unresolvable(name, `storageclass ${JSON.stringify(className)} not found`);
          }
          if (storageClass.volumeBindingMode === "WaitForFirstConsumer") continue;
          return unresolvable(name, "PersistentVolume had no name");
        }
        const volume = objects.PersistentVolume.get(volumeName);
        if (volume === undefined) {
          return unresolvable(name, `persistentvolume ${JSON.stringify(volumeName)} not found`);
        }
        places.push(...placesOf(volume.metadata?.labels ?? {}));
      }
      if (places.length === 0) return skip;
      return {
        code: "Ready",
        filter: (node) => {
          // A cluster of one zone need not say so.
          if (!labels.some(({ key }) => node.labels.has(key))) return undefined;
          const isIn = ({ key, current, values }: Place): boolean =>
            values.has(node.labels.get(key) ?? node.labels.get(current) ?? "");
          return places.every(isIn) ? undefined : elsewhere;
        },
      };
    },
    filter: "prepared",
    events: [
      { resource: "StorageClass", actions: ["Add"] },
      { resource: "Node", actions: ["Add", "UpdateNodeLabel"] },
      { resource: "PersistentVolumeClaim", actions: ["Add", "Update"] },
      { resource: "PersistentVolume", actions: ["Add", "Update"] },
    ],
  };
}
