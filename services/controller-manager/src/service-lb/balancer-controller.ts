import { keyOf } from "@orch/client/object-store.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { Outcome } from "@orch/client/work-queue.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { cloudOf } from "../clouds/cloud-of.js";
import type { CloudConfig } from "../clouds/cloud-settings.js";
import type { Made } from "../controller.js";
import { createReconciler, type Owners } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { sameJson } from "../rim/same-json.js";
import type { SeenNode } from "../seen/node.js";
import { serviceKind } from "../seen/service.js";
import type { ControllerTools } from "../tools.js";
import {
  type BalancedService,
  balancerKey,
  decideBalancer,
  isTarget,
  nodeWords,
  wantsBalancer,
} from "./decide-balancer.js";

const name = "service-lb-controller";
const allNodes = "nodes";
const gatherMs = 100;

/** Has the cloud make balancers for services of the type LoadBalancer, and take them away again. */
export function createBalancerController(config: CloudConfig, tools: ControllerTools): Made {
  const { balancers } = cloudOf(config, tools);
  if (balancers === undefined) return { lacks: "the cloud has no balancers" };
  const { client, informers, naming } = tools;
  const [services, nodes] = [informers.of("services"), informers.of("nodes")];
  const events = recorderOf(tools, name, "service-controller");
  const finalizer = `service.${naming.key("load-balancer-cleanup")}`;
  const words = nodeWords(naming);
  /** What balancers were made of, and for whom: of those of this process. */
  const ensured = new Map<
    string,
    { readonly key: string; readonly service: BalancedService; readonly nodes: string }
  >();

  const tell = (
    service: BalancedService,
    reason: string,
    message: string,
    type: "Normal" | "Warning" = "Normal",
  ): void => events.tell({ about: service, kind: serviceKind, type, reason, message });
  const targets = (): readonly SeenNode[] => {
    const all: readonly SeenNode[] = [...nodes.store.values()];
    return all.filter((node) => isTarget(node, words));
  };
  const namesOf = (these: readonly SeenNode[]): string =>
    JSON.stringify(these.map(({ metadata }) => metadata.name).sort());

  /** By the part for statuses, which is what the controller may write of services. @throws ApiError */
  const patch = async (service: BalancedService, body: object, signal: AbortSignal): Promise<void> => {
    const { name: of = "", namespace = "" } = service.metadata;
    const how = { type: patchTypes.merge, body, subresource: "status", signal };
    await client.patch({ ...services.collection, namespace }, of, how);
  };
  /** What a patch says of finalizers: of the version that was seen, because the list is written whole. */
  const withFinalizers = ({ metadata }: BalancedService, finalizers: readonly string[]) => ({
    ...{ uid: metadata.uid, resourceVersion: metadata.resourceVersion },
    finalizers,
  });
  const holdBack = async (service: BalancedService, signal: AbortSignal): Promise<void> => {
    const present = service.metadata.finalizers ?? [];
    if (present.includes(finalizer)) return;
    await patch(service, { metadata: withFinalizers(service, [...present, finalizer]) }, signal);
  };

  const ensure = async (service: BalancedService, signal: AbortSignal): Promise<void> => {
    const key = keyOf(service);
    const before = ensured.get(key);
    const led = targets();
    const known = { key: balancerKey(service), service, nodes: namesOf(led) };
    if (before?.key === known.key) {
      if (before.nodes === known.nodes) return await holdBack(service, signal);
      await balancers.update(service, led, signal);
      ensured.set(key, known);
      return tell(service, "UpdatedLoadBalancer", "Updated load balancer with new hosts");
    }
    tell(service, "EnsuringLoadBalancer", "Ensuring load balancer");
    // Nothing is made before the service waits for its end.
    await holdBack(service, signal);
    if (led.length === 0) {
      tell(service, "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer", "Warning");
    }
    const status = await balancers.ensure(service, led, signal).catch((error: unknown) => {
      throw new Error(`failed to ensure load balancer: ${messageOf(error)}`);
    });
    tell(service, "EnsuredLoadBalancer", "Ensured load balancer");
    if (!sameJson(service.status?.loadBalancer?.ingress ?? [], status.ingress)) {
      const body = { metadata: { uid: service.metadata.uid }, status: { loadBalancer: { ingress: status.ingress } } };
      await patch(service, body, signal);
    }
    ensured.set(key, known);
  };
  const remove = async (service: BalancedService, signal: AbortSignal): Promise<void> => {
    ensured.delete(keyOf(service));
    if ((await balancers.get(service, signal)) !== undefined) {
      tell(service, "DeletingLoadBalancer", "Deleting load balancer");
      await balancers.remove(service, signal).catch((error: unknown) => {
        throw new Error(`failed to delete load balancer: ${messageOf(error)}`);
      });
    }
    const left = (service.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    const status = { loadBalancer: { ingress: null } };
    await patch(service, { metadata: withFinalizers(service, left), status }, signal);
    tell(service, "DeletedLoadBalancer", "Deleted load balancer");
  };
  const sync = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const service: BalancedService | undefined = services.store.get(key);
    const gone = service === undefined ? ensured.get(key)?.service : undefined;
    if (gone !== undefined) {
      await balancers.remove(gone, signal);
      ensured.delete(key);
    }
    if (service === undefined) return "done";
    const decision = decideBalancer(service, finalizer);
    const work =
      decision === "ensure" ? ensure(service, signal) : decision === "remove" ? remove(service, signal) : undefined;
    try {
      await work;
    } catch (error) {
      // Somebody else has changed it meanwhile, or it is gone.
      if (error instanceof ApiError && (error.reason === "Conflict" || error.reason === "NotFound")) return "retry";
      tell(service, "SyncLoadBalancerFailed", `Error syncing load balancer: ${messageOf(error)}`, "Warning");
      throw error;
    }
    return "done";
  };

  const follows = (owners: Owners) => {
    const seen = (service: BalancedService): void => {
      if (decideBalancer(service, finalizer) !== "ignore") owners.add(keyOf(service));
    };
    const gone = (service: BalancedService): void => owners.add(keyOf(service));
    const nodesMoved = (): void => owners.addAfter(allNodes, gatherMs);
    return [
      { informer: services, handlers: { added: seen, modified: seen, deleted: gone } },
      {
        informer: nodes,
        handlers: {
          added: nodesMoved,
          deleted: nodesMoved,
          // Heartbeats wake nobody.
          modified(node: SeenNode, before: SeenNode) {
            if (isTarget(node, words) !== isTarget(before, words)) nodesMoved();
          },
        },
      },
    ];
  };
  let look: Owners = { add: () => {}, addAfter: () => {} };
  return createReconciler(
    {
      ...{ name, queue: "service", workers: config.serviceWorkers },
      async sync(key, signal) {
        if (key !== allNodes) return await sync(key, signal);
        const all: Iterable<BalancedService> = services.store.values();
        for (const service of all) if (wantsBalancer(service)) look.add(keyOf(service));
        return "done";
      },
      follows(owners) {
        look = owners;
        return follows(owners);
      },
    },
    tools,
  );
}
