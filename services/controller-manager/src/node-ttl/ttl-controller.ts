import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import { createReconciler } from "../rim/reconciler.js";
import type { ControllerTools } from "../tools.js";
import { secondsOf, stepAt } from "./cluster-size.js";

/** Says on each node how long its agent may keep what it has read. */
export function createNodeTtlController(tools: ControllerTools): Controller {
  const { client, informers, naming } = tools;
  const nodes = informers.of("nodes");
  const annotation = `node.alpha.${naming.key("ttl")}`;
  let step = 0;
  const isTold = ({ metadata }: ApiObject): boolean => metadata.annotations?.[annotation] === String(secondsOf(step));
  return createReconciler(
    {
      name: "ttl-controller",
      queue: "ttlcontroller",
      workers: 2,
      async sync(key, signal): Promise<Outcome> {
        const node = nodes.store.get(key);
        if (node === undefined || isTold(node)) return "done";
        const body = { metadata: { uid: node.metadata.uid, annotations: { [annotation]: String(secondsOf(step)) } } };
        await client.patch(nodes.collection, key, { type: patchTypes.merge, body, signal }).catch(unlessPast);
        return "done";
      },
      follows(owners) {
        const look = (node: ApiObject): void => {
          if (!isTold(node)) owners.add(node.metadata.name ?? "");
        };
        const count = (): void => {
          const next = stepAt(nodes.store.size, step);
          if (next === step) return;
          step = next;
          for (const node of nodes.store.values()) look(node);
        };
        const handlers = {
          added(node: ApiObject) {
            count();
            look(node);
          },
          modified: look,
          deleted: count,
        };
        return [{ informer: nodes, handlers }];
      },
    },
    tools,
  );
}
