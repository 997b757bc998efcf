import type { Client } from "@orch/client/client.js";
import { type Collection, pathOf } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { Naming } from "@orch/naming/naming.js";
import { failed, type Rejection } from "@orch/scheduling/framework/status.js";
import type { PodInfo } from "@orch/scheduling/model/pod-info.js";
import { messageOf } from "@orch/status/message-of.js";
import { wireTime } from "@orch/status/wire-time.js";

export interface WritesDeps {
  readonly client: Pick<Client, "raw" | "patch" | "delete">;
  readonly naming: Naming;
  readonly now: () => number;
}

/** What the scheduler writes. */
export interface Writes {
  /** Gives a pod its node; a rejection where the server refuses. */
  bind(pod: PodInfo, node: string, signal: AbortSignal): Promise<Rejection | undefined>;
  /** Says in a pod's status why it has no node, and which one it is waiting for. @throws ApiError */
  refuse(pod: PodInfo, told: Told, signal: AbortSignal): Promise<void>;
  /** Makes a pod go for another one. @throws ApiError */
  evict(victim: PodInfo, schedulerName: string, signal: AbortSignal): Promise<void>;
}

export interface Told {
  readonly reason: "Unschedulable" | "SchedulerError";
  readonly message: string;
  /** "" where it waits for none. */
  readonly nominatedNode: string;
}

const pods = (namespace: string): Collection => ({ group: "", version: "v1", resource: "pods", namespace });
const json = { "content-type": "application/json" };

export function createWrites({ client, now }: WritesDeps): Writes {
  const patchStatus = async (pod: PodInfo, status: object, signal: AbortSignal): Promise<void> => {
    const body = { metadata: { uid: pod.uid }, status };
    const patch = { type: patchTypes.strategic, body, subresource: "status", signal };
    await client.patch(pods(pod.namespace), pod.name, patch).catch(unlessPast);
  };
  const condition = (type: string, isTrue: boolean, why: object) => ({
    ...{ type, status: isTrue ? "True" : "False", lastProbeTime: null, lastTransitionTime: wireTime(now()) },
    ...why,
  });
  return {
    async bind({ namespace, name, uid }, node, signal) {
      const body = JSON.stringify({
        ...{ apiVersion: "v1", kind: "Binding" },
        metadata: { namespace, name, uid },
        target: { apiVersion: "v1", kind: "Node", name: node },
      });
      const path = pathOf(pods(namespace), name, "binding");
      try {
        await client.raw({ method: "POST", path, headers: json, body, signal });
        return undefined;
      } catch (error) {
        return failed("DefaultBinder", messageOf(error));
      }
    },
    refuse(pod, { reason, message, nominatedNode }, signal) {
      // One that is refused again, for another reason, has been without a node for as long as before.
      const before = pod.raw.status?.conditions?.find(
        ({ type, status }) => type === "PodScheduled" && status === "False",
      );
      const since = before?.lastTransitionTime === undefined ? {} : { lastTransitionTime: before.lastTransitionTime };
      const conditions = [condition("PodScheduled", false, { ...since, reason, message })];
      return patchStatus(pod, { conditions, nominatedNodeName: nominatedNode === "" ? null : nominatedNode }, signal);
    },
    async evict(victim, schedulerName, signal) {
      const why = {
        reason: "PreemptionByScheduler",
        message: `${schedulerName}: preempting to accommodate a higher priority pod`,
      };
      await patchStatus(victim, { conditions: [condition("DisruptionTarget", true, why)] }, signal);
      const { namespace, name, uid } = victim;
      await client.delete(pods(namespace), name, { preconditions: { uid }, signal }).catch(unlessPast);
    },
  };
}
