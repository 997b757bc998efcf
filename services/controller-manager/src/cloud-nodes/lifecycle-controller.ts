import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import { wireTime } from "@orch/status/wire-time.js";
import { cloudOf } from "../clouds/cloud-of.js";
import type { CloudConfig } from "../clouds/cloud-settings.js";
import type { Made } from "../controller.js";
import { nodeKind } from "../node-lifecycle/lifecycle-controller.js";
import { createPeriodic, each } from "../rim/periodic.js";
import { recorderOf } from "../rim/recorder.js";
import { conditionOf } from "../seen/conditions.js";
import type { SeenNode, SeenTaint } from "../seen/node.js";
import type { ControllerTools } from "../tools.js";
import { cloudTaints, hasTaint, taintsWith } from "./cloud-taints.js";

const name = "cloud-node-lifecycle-controller";

/** Takes nodes away whose machines the cloud has no more, and says of those whose machines stand still that they do. */
export function createCloudLifecycleController(config: CloudConfig, tools: ControllerTools): Made {
  const { instances } = cloudOf(config, tools);
  if (instances === undefined) return { lacks: "the cloud has no instances" };
  const { client, clock, informers, naming } = tools;
  const nodes = informers.of("nodes");
  const events = recorderOf(tools, name, "cloud-node-lifecycle-controller");
  const { shutdown } = cloudTaints(naming);

  const writeTaints = async (node: SeenNode, taint: SeenTaint | undefined, signal: AbortSignal): Promise<void> => {
    const { uid, resourceVersion, name: key = "" } = node.metadata;
    const body = { metadata: { uid, resourceVersion }, spec: { taints: taintsWith(node, shutdown, taint) } };
    await client.patch(nodes.collection, key, { type: patchTypes.merge, body, signal }).catch(unlessPast);
  };
  const lookAt = async (node: SeenNode, signal: AbortSignal): Promise<void> => {
    const { name: key = "", uid = "" } = node.metadata;
    const isTainted = hasTaint(node, shutdown);
    if (conditionOf(node, "Ready")?.status === "True") {
      // Whose agent speaks does run, whatever the cloud thinks.
      if (isTainted) await writeTaints(node, undefined, signal);
      return;
    }
    if (!(await instances.exists(node, signal))) {
      const message = `Deleting node ${key} because it does not exist in the cloud provider`;
      events.tell({ about: node, kind: nodeKind, type: "Normal", reason: "DeletingNode", message });
      await client.delete(nodes.collection, key, { preconditions: { uid }, signal }).catch(unlessPast);
      return;
    }
    if (isTainted || !(await instances.isShutDown(node, signal))) return;
    await writeTaints(node, { key: shutdown, effect: "NoSchedule", timeAdded: wireTime(clock.now()) }, signal);
  };
  return createPeriodic(
    {
      ...{ name, periodMs: config.monitorMs, reads: [nodes] },
      async round(signal) {
        const all: readonly SeenNode[] = [...nodes.store.values()];
        await each(all, { tools, name, signal, fieldsOf: ({ metadata }) => ({ node: metadata.name }) }, lookAt);
      },
    },
    tools,
  );
}
