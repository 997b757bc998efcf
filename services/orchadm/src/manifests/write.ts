import type { Site } from "../site.js";
import { apiserver, controllerManager, scheduler } from "./components.js";
import type { Patches } from "./patches.js";
import { podOf, printManifest, type UnitPod } from "./pod.js";

/** What every machine of the control plane runs besides etcd, in the order in which it starts. */
export const controlPlane = [
  { component: "apiserver", make: apiserver },
  { component: "controller-manager", make: controllerManager },
  { component: "scheduler", make: scheduler },
] as const;

export interface ManifestOptions {
  readonly patches: Patches;
}

/** The text of a unit's manifest, patched. */
export const manifestText = (pod: UnitPod, site: Pick<Site, "tools">, { patches }: ManifestOptions): string =>
  printManifest(patches.apply(pod.component, podOf(pod, site)));

/** Writes a unit's manifest: whoever runs this machine's units starts it. */
export function writeManifest(pod: UnitPod, site: Pick<Site, "tools" | "paths">, options: ManifestOptions): void {
  const { machine } = site.tools;
  machine.write(site.paths.manifest(pod.component), manifestText(pod, site, options));
}
