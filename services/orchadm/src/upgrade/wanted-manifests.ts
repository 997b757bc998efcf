import { type Component, unitName } from "../machine/paths.js";
import { apiserver, controllerManager, etcd, scheduler } from "../manifests/components.js";
import type { Patches } from "../manifests/patches.js";
import type { UnitPod } from "../manifests/pod.js";
import { manifestText } from "../manifests/write.js";
import { unitOfManifest } from "../runner/manifest.js";
import type { Site } from "../site.js";
import { flagOf } from "./own-member.js";

/** A unit's manifest as it is, and as it is to be. */
export interface Change {
  readonly component: Component;
  /** Of the unit: `orch-apiserver`. */
  readonly name: string;
  readonly path: string;
  readonly before: string;
  readonly wanted: string;
}

export interface WantedOptions {
  readonly patches: Patches;
  readonly withEtcd: boolean;
}

/** The control plane of this machine in the order in which it changes; what it does not run is not in it. */
export function wantedManifests(site: Site, { patches, withEtcd }: WantedOptions): readonly Change[] {
  const { machine, naming } = site.tools;
  const pods: readonly { readonly component: Component; readonly make: () => UnitPod }[] = [
    ...(withEtcd ? [{ component: "etcd" as const, make: () => sameEtcd(site) }] : []),
    { component: "apiserver", make: () => apiserver(site) },
    { component: "controller-manager", make: () => controllerManager(site) },
    { component: "scheduler", make: () => scheduler(site) },
  ];
  return pods.flatMap(({ component, make }) => {
    const path = site.paths.manifest(component);
    if (!machine.exists(path)) return [];
    const wanted = manifestText(make(), site, { patches });
    return [{ component, name: unitName(naming, component), path, before: machine.read(path), wanted }];
  });
}

/** A member of etcd starts from what it was told when it began, and by the program that is there. */
function sameEtcd(site: Site): UnitPod {
  const { machine } = site.tools;
  const path = site.paths.manifest("etcd");
  return etcd(site, {
    initialCluster: flagOf(machine, path, "initial-cluster") ?? "",
    isNew: flagOf(machine, path, "initial-cluster-state") === undefined,
    program: unitOfManifest(machine.read(path)).command,
  });
}
