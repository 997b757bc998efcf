import type { Client } from "@orch/client/client.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import { wireTime } from "@orch/status/wire-time.js";

export interface Disruption {
  readonly client: Pick<Client, "patch" | "delete">;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What the pod's condition says; undefined where it says nothing. */
  readonly why?: { readonly reason: string; readonly message: string } | undefined;
  /** The phase that it ends in; it keeps its own where absent. */
  readonly phase?: "Failed" | undefined;
  /** 0 takes it away at once; its own grace period where absent. */
  readonly gracePeriodSeconds?: number;
  readonly signal: AbortSignal;
}

/** Makes a pod go and says in it why. One that is gone already, or is another one, is left. @throws ApiError */
export async function disruptPod(pod: ApiObject, how: Disruption): Promise<void> {
  const { client, now, why, phase, gracePeriodSeconds, signal } = how;
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const pods = { group: "", version: "v1", resource: "pods", namespace };
  if (why !== undefined || phase !== undefined) {
    const condition = { type: "DisruptionTarget", status: "True", lastTransitionTime: wireTime(now), ...why };
    const conditions = why === undefined ? {} : { conditions: [condition] };
    const status = { ...conditions, ...(phase === undefined ? {} : { phase }) };
    const patch = { type: patchTypes.strategic, body: { metadata: { uid }, status }, subresource: "status", signal };
    await client.patch(pods, name, patch).catch(unlessPast);
  }
  const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
  await client.delete(pods, name, { preconditions: { uid }, ...grace, signal }).catch(unlessPast);
}
