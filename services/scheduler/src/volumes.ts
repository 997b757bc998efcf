import type { Client } from "@orch/client/client.js";
import type { Collection } from "@orch/client/objects.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { Naming } from "@orch/naming/naming.js";
import type { ClusterView } from "@orch/scheduling/cluster/view.js";
import { failed, type Rejection } from "@orch/scheduling/framework/status.js";
import type { CarryOut } from "@orch/scheduling/plugins/volumes/volume-binding.js";
import { type Clock, sleep } from "@orch/status/clock.js";
import { messageOf } from "@orch/status/message-of.js";

export interface VolumesDeps {
  readonly client: Pick<Client, "patch">;
  readonly naming: Naming;
  readonly clock: Clock;
  /** What the mirror has of claims; asked again and again. */
  readonly objects: () => ClusterView["objects"];
}

const volumes: Collection = { group: "", version: "v1", resource: "persistentvolumes" };
const pollMs = 100;

/** Binds the claims of a pod on its node: by their volumes' references, or by asking provisioners, and waits until they are. */
export function createVolumeBinding({
  client,
  naming,
  clock,
  objects,
}: VolumesDeps): (timeoutSeconds: number) => CarryOut {
  const selectedNode = `volume.${naming.key("selected-node")}`;
  const boundByController = `pv.${naming.key("bound-by-controller")}`;
  const refused = (error: unknown): Rejection => failed("VolumeBinding", `binding volumes: ${messageOf(error)}`);
  return (timeoutSeconds) => async (plan, _pod, node, signal) => {
    const isBound = (key: string): boolean => {
      const claim = objects().PersistentVolumeClaim.get(key);
      return (claim?.spec?.volumeName ?? "") !== "" && claim?.status?.phase === "Bound";
    };
    try {
      for (const { volume, claim } of plan.bind) {
        const metadata = objects().PersistentVolumeClaim.get(claim)?.metadata;
        if (metadata === undefined) throw new Error(`persistentvolumeclaim ${JSON.stringify(claim)} not found`);
        const { name, namespace, uid } = metadata;
        const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid };
        // One that somebody set aside for the claim stays theirs.
        const isHeld = objects().PersistentVolume.get(volume)?.spec?.claimRef !== undefined;
        const mark = isHeld ? {} : { metadata: { annotations: { [boundByController]: "yes" } } };
        const body = { ...mark, spec: { claimRef } };
        await client.patch(volumes, volume, { type: patchTypes.merge, body, signal });
      }
      for (const claim of plan.provision) {
        const [namespace = "", name = ""] = claim.split("/", 2);
        const claims: Collection = { group: "", version: "v1", resource: "persistentvolumeclaims", namespace };
        const body = { metadata: { annotations: { [selectedNode]: node } } };
        await client.patch(claims, name, { type: patchTypes.merge, body, signal });
      }
    } catch (error) {
      return refused(error);
    }
    const claims = [...plan.bind.map(({ claim }) => claim), ...plan.provision];
    const deadline = clock.monotonic() + timeoutSeconds * 1000;
    while (!claims.every(isBound)) {
      if (signal.aborted || clock.monotonic() >= deadline)
        return refused(new Error("timed out waiting for the condition"));
      await sleep(clock, pollMs, signal);
    }
    return undefined;
  };
}
