import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { isReady } from "../seen/conditions.js";
import type { SeenNode } from "../seen/node.js";
import { type SeenService, selects, serviceKind } from "../seen/service.js";
import { podsOf, serviceTeller } from "../seen/services-of-pods.js";
import { type TriggerTimes, triggerTime } from "../seen/trigger-time.js";
import type { ControllerTools } from "../tools.js";
import { asksForHints, decideSlices } from "./decide-slices.js";
import type { Slice } from "./objects.js";
import { sliceWords } from "./slice-labels.js";
import { createSliceTracker } from "./slice-tracker.js";
import { writeSlices } from "./slice-writes.js";
import { zoneShares } from "./zone-shares.js";

const name = "endpointslice-controller";

export interface SliceConfig {
  /** Services that are worked on at once. */
  readonly workers: number;
  /** Endpoints of a slice at most. */
  readonly max: number;
  /** Changes of pods within this time are written at once. */
  readonly batchMs: number;
}

/** What is remembered of a service from one decision to the next. */
interface Remembered {
  readonly times: TriggerTimes;
  readonly hinted: boolean;
}

/** Keeps the endpoint slices of services with selectors. */
export function createSliceController(config: SliceConfig, tools: ControllerTools): Controller {
  const { naming, client, informers } = tools;
  const [pods, services, nodes] = [informers.of("pods"), informers.of("services"), informers.of("nodes")];
  const slices = informers.of("endpointslices");
  const words = sliceWords(naming, name);
  const places = {
    zone: `topology.${naming.key("zone")}`,
    controlPlane: ["control-plane", "master"].map((role) => `node-role.${naming.key(role)}`),
  };
  const events = recorderOf(tools, name, "endpoint-slice-controller");
  const tracker = createSliceTracker();
  const remembered = new Map<string, Remembered>();
  /** Of all nodes: worked out where somebody asks for it after they have changed. */
  let shares: { readonly known: ReturnType<typeof zoneShares> } | undefined;

  const isOwn = ({ metadata }: ApiObject): boolean => metadata.labels?.[words.managedBy] === words.manager;
  const keyOfService = ({ metadata }: ApiObject): string =>
    `${metadata.namespace ?? ""}/${metadata.labels?.[words.serviceName] ?? ""}`;
  const slicesOf = (service: SeenService): readonly Slice[] => {
    const found: Slice[] = [];
    for (const slice of slices.inNamespace(service.metadata.namespace ?? "")) {
      if (isOwn(slice) && slice.metadata.labels?.[words.serviceName] === service.metadata.name) found.push(slice);
    }
    return found;
  };
  const nodeOf = (node: string) => {
    const found = nodes.store.get(node);
    return found === undefined ? undefined : { zone: found.metadata.labels?.[places.zone] ?? "" };
  };
  const sharesNow = () => {
    shares ??= { known: zoneShares(nodes.store.values(), places) };
    return shares.known;
  };
  const forget = (key: string): void => {
    tracker.forget(key);
    remembered.delete(key);
  };

  const sync = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const service: SeenService | undefined = services.store.get(key);
    if (service === undefined) forget(key);
    if (service === undefined || !selects(service)) return "done";
    const stored = slicesOf(service);
    if (tracker.isOld(key, stored)) return "retry";
    const selected = podsOf(service, pods);
    const before = remembered.get(key);
    const { times, text } = triggerTime(service, selected, before?.times);
    const shares = asksForHints(service, words) ? sharesNow() : undefined;
    const options = { words, max: config.max, shares, hinted: before?.hinted ?? false, triggerTime: text };
    const decision = decideSlices({ service, pods: selected, slices: stored, nodeOf }, options);
    const collection = { ...slices.collection, namespace: service.metadata.namespace ?? "" };
    const writes = {
      collection,
      client,
      wrote: (slice: ApiObject) => tracker.wrote(key, slice),
      removed: (slice: ApiObject) => tracker.removed(key, slice),
    };
    await writeSlices(decision, writes, signal);
    remembered.set(key, { times, hinted: decision.hinted });
    for (const event of decision.events) events.tell({ about: service, kind: serviceKind, ...event });
    return decision.withoutNode.length > 0 ? "retry" : "done";
  };

  return createReconciler(
    {
      name,
      queue: "endpoint_slice",
      workers: config.workers,
      sync,
      follows(owners) {
        const look = (object: ApiObject): void => owners.add(keyOf(object));
        const later = (key: string): void =>
          config.batchMs > 0 ? owners.addAfter(key, config.batchMs) : owners.add(key);
        const lookForHints = (): void => {
          shares = undefined;
          for (const service of services.store.values()) if (asksForHints(service, words)) look(service);
        };
        return [
          { informer: services, handlers: { added: look, modified: look, deleted: look } },
          { informer: pods, handlers: serviceTeller(services, later) },
          {
            informer: slices,
            handlers: {
              added: (slice) => {
                if (isOwn(slice) && tracker.isForeign(keyOfService(slice), slice)) owners.add(keyOfService(slice));
              },
              modified: (slice, before) => {
                // One that somebody has taken away belongs to the service of its former labels.
                if (isOwn(before) && !isOwn(slice)) owners.add(keyOfService(before));
                if (isOwn(slice) && tracker.isForeign(keyOfService(slice), slice)) owners.add(keyOfService(slice));
              },
              deleted: (slice) => {
                if (isOwn(slice) && tracker.gone(keyOfService(slice), slice)) owners.add(keyOfService(slice));
              },
            },
          },
          {
            informer: nodes,
            handlers: {
              added: lookForHints,
              modified: (node, before) => {
                if (shareText(node, places.zone) !== shareText(before, places.zone)) lookForHints();
              },
              deleted: lookForHints,
            },
          },
        ];
      },
    },
    tools,
  );
}

/** What the shares of zones are made of: heartbeats change nothing of it. */
function shareText(node: SeenNode, zone: string): string {
  return JSON.stringify([node.metadata.labels?.[zone], isReady(node), node.status?.allocatable?.["cpu"]]);
}
