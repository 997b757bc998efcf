import { wireTime } from "@orch/status/wire-time.js";
import type { UpgradeContext } from "./context.js";
import { isControlPlane } from "./own-member.js";
import { renewCertificatesOf } from "./renewing.js";
import { restartUnit } from "./restart.js";
import { swapManifests } from "./swap.js";
import { wantedManifests } from "./wanted-manifests.js";

/** Brings the control plane of this machine to the version of the configuration, a component after the other. */
export async function upgradeControlPlane(context: UpgradeContext): Promise<void> {
  const { tools, paths, cluster, runner, timeoutMs, renewsCertificates } = context;
  const { machine, print, naming, clock } = tools;
  if (!isControlPlane(machine, paths)) {
    print("[upgrade] Skipping phase. Not a control plane node.\n");
    return;
  }
  print(
    `[upgrade/apply] Upgrading the control plane of this machine to version ${JSON.stringify(cluster.orchVersion)} (timeout: ${timeoutMs / 1000}s)...\n`,
  );
  const changes = wantedManifests(context, context);
  const program = naming.configurationWord("orchadm");
  const stamp = wireTime(clock.now()).replaceAll(":", "-");
  const backup = `${paths.temporary}/${program}-backup-manifests-${stamp}`;
  const upgraded = `${paths.temporary}/${program}-upgraded-manifests-${stamp}`;
  print(`[upgrade/staticpods] Writing new Static Pod manifests to ${JSON.stringify(machine.at(upgraded))}\n`);
  for (const { name, wanted } of changes) machine.write(`${upgraded}/${name}.yaml`, wanted);
  await swapManifests(changes, {
    ...{ machine, print, backup },
    async prepare({ component }) {
      if (renewsCertificates && !machine.isDry) await renewCertificatesOf(component, context);
    },
    restart: (change, text) => restartUnit(change, text, { runner, timeoutMs }, tools),
  });
  machine.remove(upgraded);
}
