import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import type { Outcome } from "@orch/client/work-queue.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Controller } from "../controller.js";
import { isNamespaceEnding } from "../rim/pod-control.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { createWrittenCopies } from "../rim/written-copies.js";
import { type SeenService, selects, serviceKind } from "../seen/service.js";
import { podsOf, serviceTeller } from "../seen/services-of-pods.js";
import { type TriggerTimes, triggerTime } from "../seen/trigger-time.js";
import type { ControllerTools } from "../tools.js";
import { decideEndpoints, type EndpointsObject, endpointsWords } from "./decide-endpoints.js";

const name = "endpoints-controller";

export interface EndpointsConfig {
  /** Services that are worked on at once. */
  readonly workers: number;
  /** Changes of pods within this time are written at once. */
  readonly batchMs: number;
}

/** Keeps the Endpoints of services with selectors. */
export function createEndpointsController(config: EndpointsConfig, tools: ControllerTools): Controller {
  const { naming, client, informers } = tools;
  const [pods, services, endpoints] = [informers.of("pods"), informers.of("services"), informers.of("endpoints")];
  const words = endpointsWords(naming);
  const events = recorderOf(tools, name, "endpoint-controller");
  const remembered = new Map<string, TriggerTimes>();
  const copies = createWrittenCopies<EndpointsObject>(endpoints.store);

  const write = async (
    service: SeenService,
    action: "create" | "update",
    object: EndpointsObject,
    signal: AbortSignal,
  ) => {
    const collection = { ...endpoints.collection, namespace: service.metadata.namespace ?? "" };
    try {
      const before = copies.get(keyOf(service));
      const written: EndpointsObject = await client[action](collection, object, { signal });
      if (before !== undefined) copies.wrote(keyOf(service), before, written);
    } catch (error) {
      if (isNamespaceEnding(error)) return;
      // They were made a moment ago, and are not shown yet.
      if (error instanceof ApiError && error.reason === "AlreadyExists") throw error;
      const what = action === "create" ? "Create" : "Update";
      const message = `Failed to ${action} endpoint for service ${keyOf(service)}: ${messageOf(error)}`;
      events.tell({ about: service, kind: serviceKind, type: "Warning", reason: `FailedTo${what}Endpoint`, message });
      throw error;
    }
  };
  const forget = async (key: string, signal: AbortSignal): Promise<void> => {
    remembered.delete(key);
    const left = endpoints.store.get(key);
    if (left === undefined) return;
    const { name: of = "", namespace = "", uid = "" } = left.metadata;
    await client
      .delete({ ...endpoints.collection, namespace }, of, { preconditions: { uid }, signal })
      .catch(unlessPast);
  };
  const sync = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const service: SeenService | undefined = services.store.get(key);
    if (service === undefined) await forget(key, signal);
    if (service === undefined || !selects(service)) return "done";
    const selected = podsOf(service, pods);
    const { times, text } = triggerTime(service, selected, remembered.get(key));
    const decision = decideEndpoints({ service, pods: selected, current: copies.get(key) }, words, text);
    if (decision.action !== "none") await write(service, decision.action, decision.endpoints, signal);
    remembered.set(key, times);
    return "done";
  };

  return createReconciler(
    {
      name,
      queue: "endpoint",
      workers: config.workers,
      sync,
      follows(owners) {
        const look = (object: ApiObject): void => owners.add(keyOf(object));
        const later = (key: string): void =>
          config.batchMs > 0 ? owners.addAfter(key, config.batchMs) : owners.add(key);
        return [
          { informer: services, handlers: { added: look, modified: look, deleted: look } },
          { informer: pods, handlers: serviceTeller(services, later) },
          // What is left of a service that went while nobody looked goes, too; what somebody else changed is put right.
          { informer: endpoints, handlers: { added: leftOf(look, services.store), modified: look, deleted: look } },
        ];
      },
    },
    tools,
  );
}

/** Of services that are there the endpoints are looked at with the service. */
const leftOf =
  (look: (object: ApiObject) => void, services: ReadonlyMap<string, ApiObject>) =>
  (object: ApiObject): void => {
    if (!services.has(keyOf(object))) look(object);
  };
