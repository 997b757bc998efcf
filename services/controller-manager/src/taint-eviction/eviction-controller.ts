import { isDeepStrictEqual } from "node:util";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import { isGoing } from "../rim/objects.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { disruptPod } from "../seen/disrupt-pod.js";
import type { SeenNode, SeenTaint } from "../seen/node.js";
import type { SeenPod } from "../seen/pod.js";
import type { ControllerTools } from "../tools.js";
import { decideStay, isEvicting } from "./decide-eviction.js";

const name = "taint-eviction-controller";
const podKind = { apiVersion: "v1", kind: "Pod" };

/** Makes pods go from nodes whose taints they do not tolerate, or no longer. */
export function createTaintEvictionController(tools: ControllerTools): Controller {
  const { client, clock, informers } = tools;
  const [pods, nodes] = [informers.of("pods"), informers.of("nodes")];
  const events = recorderOf(tools, name, "taint-eviction-controller");
  /** When pods that are to go were first seen beside such a taint. Milliseconds that only grow. */
  const since = new Map<string, number>();
  /** Uids of pods that were made to go, until they are seen going: what is written in them begins another look. */
  const evicted = new Map<string, string>();

  const taintsOf = (node: string | undefined): readonly SeenTaint[] => {
    const found: SeenNode | undefined = nodes.store.get(node ?? "");
    return (found?.spec?.taints ?? []).filter(isEvicting);
  };
  const tell = (pod: ApiObject, what: "Marking for deletion" | "Cancelling deletion of"): void => {
    const message = `${what} Pod ${keyOf(pod)}`;
    events.tell({ about: pod, kind: podKind, type: "Normal", reason: "TaintManagerEviction", message });
  };
  const sync = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const pod: SeenPod | undefined = pods.store.get(key);
    if (pod === undefined || isGoing(pod)) {
      since.delete(key);
      evicted.delete(key);
      return "done";
    }
    if (evicted.get(key) === pod.metadata.uid) return "done";
    const stay = decideStay(pod, taintsOf(pod.spec?.nodeName));
    if (stay.type === "forever") {
      if (since.delete(key)) tell(pod, "Cancelling deletion of");
      return "done";
    }
    const now = clock.monotonic();
    const left = (since.get(key) ?? now) + stay.ms - now;
    if (left > 0) {
      if (!since.has(key)) since.set(key, now);
      return { againAfterMs: left };
    }
    tell(pod, "Marking for deletion");
    const why = { reason: "DeletionByTaintManager", message: "Taint manager: deleting due to NoExecute taint" };
    await disruptPod(pod, { client, now: clock.now(), why, signal });
    since.delete(key);
    evicted.set(key, pod.metadata.uid ?? "");
    return "done";
  };

  return createReconciler(
    {
      name,
      queue: "noexec_taint_pod",
      workers: 8,
      sync,
      follows(owners) {
        const look = (pod: ApiObject): void => {
          const { spec }: SeenPod = pod;
          if (since.has(keyOf(pod)) || evicted.has(keyOf(pod)) || taintsOf(spec?.nodeName).length > 0)
            owners.add(keyOf(pod));
        };
        const lookOn = (node: ApiObject): void => {
          for (const pod of pods.onNode(node.metadata.name ?? "")) owners.add(keyOf(pod));
        };
        return [
          {
            informer: nodes,
            handlers: {
              added(node) {
                if (evictingOf(node).length > 0) lookOn(node);
              },
              modified(node, before) {
                if (!isDeepStrictEqual(evictingOf(node), evictingOf(before))) lookOn(node);
              },
              deleted(node) {
                if (evictingOf(node).length > 0) lookOn(node);
              },
            },
          },
          { informer: pods, handlers: { added: look, modified: look, deleted: look } },
        ];
      },
    },
    tools,
  );
}

const evictingOf = ({ spec }: SeenNode): readonly SeenTaint[] => (spec?.taints ?? []).filter(isEvicting);
