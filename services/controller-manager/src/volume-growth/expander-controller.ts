import { keyOf } from "@orch/client/object-store.js";
import type { Controller } from "../controller.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import type { ControllerTools } from "../tools.js";
import { claimKind } from "../volume-binding/binding-writes.js";
import type { Claim, Volume } from "../volume-binding/types.js";
import { growthEvent, hasGrown, wantsMore } from "./growth.js";

const name = "persistentvolume-expander-controller";

/** Tells of claims that ask for more who makes their volumes grow. */
export function createExpanderController(tools: ControllerTools): Controller {
  const { informers } = tools;
  const [claims, volumes] = [informers.of("persistentvolumeclaims"), informers.of("persistentvolumes")];
  const events = recorderOf(tools, name, "volume_expand");
  return createReconciler(
    {
      ...{ name, queue: "volume_expand", workers: 1 },
      async sync(key) {
        const claim: Claim | undefined = claims.store.get(key);
        if (claim === undefined) return "done";
        const volume: Volume | undefined = volumes.store.get(claim.spec?.volumeName ?? "");
        const event = growthEvent(claim, volume);
        if (event !== undefined) events.tell({ about: claim, kind: claimKind, ...event });
        return "done";
      },
      follows: (owners) => [
        {
          informer: claims,
          handlers: {
            added(claim: Claim) {
              if (wantsMore(claim)) owners.add(keyOf(claim));
            },
            modified(claim: Claim, before: Claim) {
              if (wantsMore(claim) && hasGrown(claim, before)) owners.add(keyOf(claim));
            },
          },
        },
        { informer: volumes, handlers: {} },
      ],
    },
    tools,
  );
}
