import { unlessPast } from "@orch/client/passing.js";
import { pause } from "@orch/client/pause.js";
import type { Controller } from "../controller.js";
import { hasEnded } from "../rim/pods.js";
import { disruptPod } from "../seen/disrupt-pod.js";
import type { SeenNode } from "../seen/node.js";
import type { SeenPod } from "../seen/pod.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { type Collected, decideCollection, missingNodes } from "./decide-collection.js";

const name = "pod-garbage-collector-controller";

export interface PodCollectorConfig {
  /** Pods that have ended and are kept; all of them where it is not above 0. */
  readonly threshold: number;
  readonly periodMs: number;
  /** For how long a node must have been missing before its pods are taken away. */
  readonly quarantineMs: number;
}

/** Takes away pods that nobody else does: of nodes that are gone, and those that ended long ago. */
export function createPodCollector(config: PodCollectorConfig, tools: ControllerTools): Controller {
  const { client, clock, informers, naming } = tools;
  const [pods, nodes] = [informers.of("pods"), informers.of("nodes")];
  const rules = { threshold: config.threshold, outOfService: `node.${naming.key("out-of-service")}` };
  const failed = failureTeller(tools, name);
  /** Since when nodes are missing. Milliseconds that only grow. */
  const missing = new Map<string, number>();
  const nodeOf = (node: string): SeenNode | undefined => nodes.store.get(node);

  /** Missing for long enough, and not there when the server is asked. */
  const absentNodes = async (signal: AbortSignal): Promise<ReadonlySet<string>> => {
    const now = clock.monotonic();
    const named = missingNodes(pods.store.values(), nodeOf);
    for (const node of missing.keys()) if (!named.has(node)) missing.delete(node);
    for (const node of named) if (!missing.has(node)) missing.set(node, now);
    const absent = new Set<string>();
    for (const [node, since] of missing) {
      if (now - since < config.quarantineMs) continue;
      const live = await client.get(nodes.collection, node, { signal }).catch(unlessPast);
      if (live === undefined) absent.add(node);
      else missing.delete(node);
    }
    return absent;
  };
  const collect = async ({ pod, reason }: Collected, signal: AbortSignal): Promise<void> => {
    const orphaned = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
    await disruptPod(pod, {
      client,
      now: clock.now(),
      why: reason === "orphaned" && !hasEnded(pod) ? orphaned : undefined,
      // Nobody else will say so: who counts pods that have failed waits for it.
      phase: hasEnded(pod) ? undefined : "Failed",
      gracePeriodSeconds: 0,
      signal,
    });
  };
  const round = async (signal: AbortSignal): Promise<void> => {
    const absent = await absentNodes(signal);
    const all: Iterable<SeenPod> = pods.store.values();
    for (const each of decideCollection({ pods: all, nodeOf, absent }, rules)) {
      await collect(each, signal).catch((error) => {
        if (!signal.aborted) failed(error, { pod: each.pod.metadata.name });
      });
    }
  };
  return {
    async run(signal) {
      const how = { signal, onError: failed };
      const following = [pods.follow({}, how), nodes.follow({}, how)];
      await Promise.race([Promise.all([pods.synced, nodes.synced]), ...following]);
      while (!signal.aborted) {
        await round(signal).catch((error) => {
          if (!signal.aborted) failed(error);
        });
        await pause(config.periodMs, { clock, signal });
      }
      await Promise.all(following);
    },
  };
}
