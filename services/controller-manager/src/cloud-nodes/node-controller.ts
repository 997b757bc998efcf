import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Instances } from "../clouds/cloud.js";
import { cloudOf } from "../clouds/cloud-of.js";
import type { CloudConfig } from "../clouds/cloud-settings.js";
import type { Made } from "../controller.js";
import { nodeKind } from "../node-lifecycle/lifecycle-controller.js";
import { createReconciler, type Owners } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import type { SeenNode } from "../seen/node.js";
import type { ControllerTools } from "../tools.js";
import { cloudTaints, hasTaint } from "./cloud-taints.js";
import { type Described, decideAddresses, initialized } from "./decide-node.js";

const name = "cloud-node-controller";
const allNodes = "";

export interface CloudNodeConfig {
  readonly workers: number;
  /** After which the addresses of every node are asked for again. */
  readonly periodMs: number;
}

/** Says of new nodes what they are in the cloud, and lets pods come to them. */
export function createCloudNodeController(cloud: CloudConfig, config: CloudNodeConfig, tools: ControllerTools): Made {
  const { instances, zones } = cloudOf(cloud, tools);
  if (instances === undefined) return { lacks: "the cloud has no instances" };
  const { client, informers, naming } = tools;
  const nodes = informers.of("nodes");
  const events = recorderOf(tools, name, "cloud-node-controller");
  const { uninitialized } = cloudTaints(naming);

  const describe = async (of: Instances, node: SeenNode, signal: AbortSignal): Promise<Described> => ({
    instance: await of.describe(node, signal),
    zone: await zones?.zoneOf(node, signal),
  });
  const writeAddresses = async (node: SeenNode, { instance }: Described, signal: AbortSignal): Promise<void> => {
    const decided = decideAddresses(node, instance, naming);
    if (!decided.ok) throw new Error(decided.problem);
    if (decided.addresses === undefined) return;
    // Merged by type they would keep what the cloud has no more.
    const body = { metadata: { uid: node.metadata.uid }, status: { addresses: decided.addresses } };
    const how = { type: patchTypes.merge, body, subresource: "status", signal };
    await client.patch(nodes.collection, node.metadata.name ?? "", how).catch(unlessPast);
  };
  const initialize = async (node: SeenNode, signal: AbortSignal): Promise<Outcome> => {
    const described = await describe(instances, node, signal);
    // Nobody goes to a node that has no address yet.
    await writeAddresses(node, described, signal);
    const { name: key = "" } = node.metadata;
    const current: SeenNode | undefined = await client.get(nodes.collection, key, { signal }).catch(unlessPast);
    if (current === undefined || !hasTaint(current, uninitialized)) return "done";
    const body = initialized(current, described, naming);
    const written = await client
      .patch(nodes.collection, key, { type: patchTypes.merge, body, signal })
      .catch(unlessPast);
    if (written === undefined) return "retry";
    events.tell({ about: node, kind: nodeKind, type: "Normal", reason: "Synced", message: "Node synced successfully" });
    return "done";
  };
  let look: Owners = { add: () => {}, addAfter: () => {} };
  return createReconciler(
    {
      name,
      queue: "nodes",
      workers: config.workers,
      async sync(key, signal) {
        if (key === allNodes) {
          for (const node of nodes.store.keys()) look.add(node);
          look.addAfter(allNodes, config.periodMs);
          return "done";
        }
        const node: SeenNode | undefined = nodes.store.get(key);
        if (node === undefined) return "done";
        if (hasTaint(node, uninitialized)) return await initialize(node, signal);
        // One that is gone in the cloud is another controller's matter.
        if (await instances.exists(node, signal))
          await writeAddresses(node, await describe(instances, node, signal), signal);
        return "done";
      },
      follows(owners) {
        look = owners;
        owners.addAfter(allNodes, config.periodMs);
        const seen = (node: SeenNode): void => {
          if (hasTaint(node, uninitialized)) owners.add(node.metadata.name ?? "");
        };
        return [{ informer: nodes, handlers: { added: seen, modified: seen } }];
      },
    },
    tools,
  );
}
