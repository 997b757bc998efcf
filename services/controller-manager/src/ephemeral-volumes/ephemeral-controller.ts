import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Outcome } from "@orch/client/work-queue.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Controller } from "../controller.js";
import { controllerOf } from "../rim/objects.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import type { ControllerTools } from "../tools.js";
import { unlessThere } from "../unless-there.js";
import { decideClaims, hasEphemeral, podKind, type VolumePod } from "./decide-claims.js";

const name = "ephemeral-volume-controller";

/** Makes the claims of pods' own volumes. */
export function createEphemeralVolumeController(
  { workers }: { readonly workers: number },
  tools: ControllerTools,
): Controller {
  const { client, informers } = tools;
  const [pods, claims] = [informers.of("pods"), informers.of("persistentvolumeclaims")];
  const events = recorderOf(tools, name, "ephemeral_volume");

  const sync = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const pod: VolumePod | undefined = pods.store.get(key);
    if (pod === undefined) return "done";
    const { namespace = "" } = pod.metadata;
    const warn = (message: string): void =>
      events.tell({ about: pod, kind: podKind, type: "Warning", reason: "EphemeralVolume", message });
    let refused = false;
    for (const decision of decideClaims(pod, (claim) => claims.store.get(`${namespace}/${claim}`))) {
      if (decision.action === "refuse") {
        warn(decision.problem);
        refused = true;
        continue;
      }
      const made = client.create({ ...claims.collection, namespace }, decision.claim, { signal });
      await made.catch(unlessThere).catch((error: unknown) => {
        warn(`ephemeral volume claim ${decision.claim.metadata.name}: ${messageOf(error)}`);
        throw error;
      });
    }
    return refused ? "retry" : "done";
  };
  return createReconciler(
    {
      name,
      queue: "ephemeral_volume",
      workers,
      sync,
      follows(owners) {
        const look = (pod: ApiObject): void => {
          if (hasEphemeral(pod)) owners.add(keyOf(pod));
        };
        const lookAtOwner = (claim: ApiObject): void => {
          const owner = controllerOf(claim);
          if (owner?.kind === "Pod") owners.add(`${claim.metadata.namespace}/${owner.name}`);
        };
        return [
          { informer: pods, handlers: { added: look } },
          { informer: claims, handlers: { deleted: lookAtOwner } },
        ];
      },
    },
    tools,
  );
}
