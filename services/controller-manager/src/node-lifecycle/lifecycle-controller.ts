import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import { pause } from "@orch/client/pause.js";
import { within } from "@orch/client/within.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import { wireTime } from "@orch/status/wire-time.js";
import type { Controller } from "../controller.js";
import type { Kind } from "../rim/objects.js";
import { answerDeadlineMs } from "../rim/periodic.js";
import { hasEnded } from "../rim/pods.js";
import { recorderOf } from "../rim/recorder.js";
import { conditionOf, isReady, type SeenCondition } from "../seen/conditions.js";
import type { SeenNode } from "../seen/node.js";
import type { SeenPod } from "../seen/pod.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { archLabels } from "./arch-labels.js";
import { type GracePeriods, type Heard, hear, silentConditions } from "./node-health.js";
import { evictedBy, evictingTaint, schedulingTaints, taintKeys, withTaints } from "./node-taints.js";
import { createPacedNodes } from "./paced-nodes.js";
import { isBlind, rateOf, type ZoneRates, zoneKeys, zoneOf, zonesOf } from "./zones.js";

const name = "node-lifecycle-controller";

export interface LifecycleConfig extends GracePeriods, ZoneRates {
  /** Between two looks at all nodes. */
  readonly periodMs: number;
}

export const nodeKind: Kind = {
  apiVersion: "v1",
  kind: "Node",
  collection: { group: "", version: "v1", resource: "nodes" },
};
const podKind = { apiVersion: "v1", kind: "Pod" };

/** Says of nodes whose agents are silent that nobody knows how they are, and taints nodes by how they are. */
export function createNodeLifecycleController(config: LifecycleConfig, tools: ControllerTools): Controller {
  const { naming, client, clock, informers, mirror, telemetry } = tools;
  const [nodes, pods] = [informers.of("nodes"), informers.of("pods")];
  const keys = taintKeys(naming);
  const zones = zoneKeys(naming);
  const labels = archLabels(naming);
  const failed = failureTeller(tools, name);
  const events = recorderOf(tools, name, "node-controller");
  const heard = new Map<string, Heard>();
  /** Nodes that were ready when they were last looked at. */
  const wereReady = new Map<string, boolean>();
  const paced = createPacedNodes();
  /** Whether evictions are held back because no node is well. */
  let blind = false;

  const tell = (node: ApiObject, reason: string, message: string): void =>
    events.tell({ about: node, kind: nodeKind, type: "Normal", reason, message });

  const patchNode = async (node: ApiObject, body: object, how: { signal: AbortSignal; subresource?: string }) => {
    const patch = { type: how.subresource === undefined ? patchTypes.merge : patchTypes.strategic, body, ...how };
    await client.patch(nodes.collection, node.metadata.name ?? "", patch).catch(unlessPast);
  };

  /** Writes taints and labels of one node as its state wants them. */
  const sync = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const node: SeenNode | undefined = nodes.store.get(key);
    if (node === undefined) return "done";
    const due = evictingTaint(node, keys);
    const present = evictedBy(node, keys);
    // Of the two one takes the place of the other at once; a new one waits for its turn.
    const evicting =
      blind || due === undefined ? undefined : present !== undefined || taking.has(key) ? due : undefined;
    const wanted = { scheduling: schedulingTaints(node, keys), evicting, now: wireTime(clock.now()) };
    const taints = withTaints(node, keys, wanted);
    const missing = labels.missing(node);
    if (taints !== undefined || missing !== undefined) {
      const body = {
        // With its version: lists are replaced whole.
        metadata: {
          resourceVersion: node.metadata.resourceVersion,
          ...(missing === undefined ? {} : { labels: missing }),
        },
        ...(taints === undefined ? {} : { spec: { taints } }),
      };
      await patchNode(node, body, { signal });
    }
    if (evicting !== undefined) taking.delete(key);
    return "done";
  };
  /** Nodes whose turn to be tainted has come. */
  const taking = new Set<string>();
  const queue = createWorkQueue<string>({
    ...{ workers: 4, work: sync, clock, observer: telemetry.queue("node_lifecycle_controller") },
    onError: (error, node) => failed(error, { node }),
  });

  const markSilent = async (node: SeenNode, conditions: readonly SeenCondition[], signal: AbortSignal) => {
    const body = { metadata: { uid: node.metadata.uid }, status: { conditions } };
    await patchNode(node, body, { signal, subresource: "status" });
  };
  /** What was ready on a node that is not ready is not either. */
  const markPods = async (node: string, signal: AbortSignal): Promise<void> => {
    const there: readonly SeenPod[] = [...pods.onNode(node)];
    for (const pod of there) {
      if (!isReady(pod) || hasEnded(pod)) continue;
      const { name: of = "", namespace = "", uid = "" } = pod.metadata;
      const ready = { type: "Ready", status: "False", lastTransitionTime: wireTime(clock.now()) };
      const body = { metadata: { uid }, status: { conditions: [ready] } };
      const patch = { type: patchTypes.strategic, body, subresource: "status", signal };
      events.tell({ about: pod, kind: podKind, type: "Warning", reason: "NodeNotReady", message: "Node is not ready" });
      await client.patch({ ...pods.collection, namespace }, of, patch).catch(unlessPast);
    }
  };

  const lookAt = async (node: SeenNode, renewed: string, signal: AbortSignal): Promise<void> => {
    const { name: key = "" } = node.metadata;
    const now = clock.now();
    const state = hear(node, renewed, { before: heard.get(key), now });
    heard.set(key, state);
    const silent = silentConditions(node, state, { ...config, now });
    if (silent !== undefined) await markSilent(node, silent, signal);
    const ready = silent === undefined && conditionOf(node, "Ready")?.status === "True";
    if (wereReady.get(key) === true && !ready) {
      tell(node, "NodeNotReady", `Node ${key} status is now: NodeNotReady`);
      await markPods(key, signal);
    }
    wereReady.set(key, ready);
    if (evictingTaint(node, keys) === undefined) paced.remove(key);
    else if (evictedBy(node, keys) === undefined && !taking.has(key)) paced.add(zoneOf(node, zones), key);
  };
  const pace = (): void => {
    const all = zonesOf(nodes.store.values(), zones, config.unhealthy);
    const was = blind;
    blind = isBlind(all);
    if (blind !== was) {
      // Nobody is to go for what happened while nobody was heard.
      if (was) for (const [key, state] of heard) heard.set(key, { ...state, at: clock.now() });
      for (const key of nodes.store.keys()) queue.add(key);
    }
    if (blind) return;
    const rate = (zone: string): number => {
      const found = all.get(zone);
      return found === undefined ? config.rate : rateOf(found, config);
    };
    for (const key of paced.take(rate, clock.monotonic())) {
      taking.add(key);
      queue.add(key);
    }
  };

  return {
    async run(signal) {
      const leases = mirror.view({
        collection: {
          group: naming.group("coordination"),
          version: "v1",
          resource: "leases",
          namespace: naming.systemName("node-lease"),
        },
        sees: "objects",
        keep: keptLease,
        onError: failed,
      });
      const look = (node: ApiObject): void => queue.add(node.metadata.name ?? "");
      const handlers = {
        added(node: ApiObject) {
          tell(
            node,
            "RegisteredNode",
            `Node ${node.metadata.name} event: Registered Node ${node.metadata.name} in Controller`,
          );
          look(node);
        },
        modified: look,
        deleted(node: ApiObject) {
          const { name: key = "" } = node.metadata;
          heard.delete(key);
          wereReady.delete(key);
          taking.delete(key);
          paced.remove(key);
          tell(node, "RemovingNode", `Node ${key} event: Removing Node ${key} from Controller`);
        },
      };
      const watch = async (): Promise<void> => {
        while (!signal.aborted) {
          for (const [key, node] of nodes.store) {
            const renewed = leases.store.get(`${naming.systemName("node-lease")}/${key}`)?.renewTime ?? "";
            const look = (late: AbortSignal): Promise<void> => lookAt(node, renewed, late);
            // A node that is not answered for holds up no other one; it is looked at in the next round.
            await within(answerDeadlineMs, { clock, signal }, look).catch((error) => {
              if (!signal.aborted) failed(error, { node: key });
            });
          }
          pace();
          await pause(config.periodMs, { clock, signal });
        }
      };
      const following = [
        leases.run(signal),
        nodes.follow(handlers, { signal, onError: failed }),
        pods.follow({}, { signal, onError: failed }),
      ];
      await Promise.race([Promise.all([leases.synced, nodes.synced, pods.synced]), ...following]);
      await Promise.all([...following, queue.run(signal), watch()]);
    },
  };
}

interface KeptLease extends ApiObject {
  readonly renewTime: string;
}

/** There is one of each node, and each is written every few seconds. */
function keptLease({ metadata, spec }: ApiObject & { readonly spec?: { readonly renewTime?: string } }): KeptLease {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = metadata;
  return { metadata: { name, namespace, uid, resourceVersion }, renewTime: spec?.renewTime ?? "" };
}
