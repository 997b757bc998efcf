import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import type { Slice } from "../endpoint-slices/objects.js";
import { createSliceTracker } from "../endpoint-slices/slice-tracker.js";
import { writeSlices } from "../endpoint-slices/slice-writes.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import type { ControllerTools } from "../tools.js";
import { decideMirrors, endpointsKind, isMirrored, type MirrorDecision, mirrorWords } from "./decide-mirrors.js";

const name = "endpointslice-mirroring-controller";

export interface MirroringConfig {
  /** Endpoints that are worked on at once. */
  readonly workers: number;
  /** Addresses of a subset at most. */
  readonly max: number;
  /** Changes of Endpoints within this time are written at once. */
  readonly batchMs: number;
}

/** Keeps slices of Endpoints that are kept by hand. */
export function createMirroringController(config: MirroringConfig, tools: ControllerTools): Controller {
  const { naming, client, informers } = tools;
  const [services, endpoints, slices] = [
    informers.of("services"),
    informers.of("endpoints"),
    informers.of("endpointslices"),
  ];
  const words = mirrorWords(naming);
  const events = recorderOf(tools, name, name);
  const tracker = createSliceTracker();

  const isOwn = ({ metadata }: ApiObject): boolean => metadata.labels?.[words.managedBy] === words.manager;
  const keyOfSlice = ({ metadata }: ApiObject): string =>
    `${metadata.namespace ?? ""}/${metadata.labels?.[words.serviceName] ?? ""}`;
  const slicesOf = (key: string): readonly Slice[] => {
    const found: Slice[] = [];
    for (const slice of slices.inNamespace(key.slice(0, key.indexOf("/")))) {
      if (isOwn(slice) && keyOfSlice(slice) === key) found.push(slice);
    }
    return found;
  };
  const tell = (about: ApiObject, { invalid, skipped }: MirrorDecision): void => {
    const warn = (reason: string, message: string): void =>
      events.tell({ about, kind: endpointsKind, type: "Warning", reason, message });
    if (invalid > 0)
      warn("InvalidIPAddress", `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
    if (skipped === 0) return;
    const most = `A max of ${config.max} addresses can be mirrored to EndpointSlices per Endpoints subset.`;
    warn("TooManyAddressesToMirror", `${most} ${skipped} addresses were skipped`);
  };

  const sync = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const object = endpoints.store.get(key);
    const stored = slicesOf(key);
    if (tracker.isOld(key, stored)) return "retry";
    const mirrored = object !== undefined && isMirrored(object, services.store.get(key), words);
    if (!mirrored && stored.length === 0) {
      tracker.forget(key);
      return "done";
    }
    const none = { create: [], update: [], remove: stored, invalid: 0, skipped: 0 };
    const decision = mirrored ? decideMirrors(object, stored, { words, max: config.max }) : none;
    const writes = {
      collection: { ...slices.collection, namespace: key.slice(0, key.indexOf("/")) },
      client,
      wrote: (slice: ApiObject) => tracker.wrote(key, slice),
      removed: (slice: ApiObject) => tracker.removed(key, slice),
    };
    await writeSlices(decision, writes, signal);
    if (object !== undefined) tell(object, decision);
    return "done";
  };

  return createReconciler(
    {
      name,
      queue: "endpoint_slice_mirroring",
      workers: config.workers,
      sync,
      follows(owners) {
        const look = (object: ApiObject): void => owners.add(keyOf(object));
        const later = (object: ApiObject): void =>
          config.batchMs > 0 ? owners.addAfter(keyOf(object), config.batchMs) : look(object);
        /** Most endpoints are those of services with selectors: they are another controller's. */
        const concerned = (then: (object: ApiObject) => void) => (object: ApiObject) => {
          if (isMirrored(object, services.store.get(keyOf(object)), words)) then(object);
        };
        return [
          {
            informer: services,
            handlers: {
              added: look,
              modified(service, before) {
                if (hasSelector(service) !== hasSelector(before)) look(service);
              },
              deleted: look,
            },
          },
          {
            informer: endpoints,
            handlers: {
              added: concerned(later),
              modified(object, before) {
                if (isMirrored(before, services.store.get(keyOf(before)), words)) later(object);
                else concerned(later)(object);
              },
              deleted: look,
            },
          },
          {
            informer: slices,
            handlers: {
              added(slice) {
                if (isOwn(slice) && tracker.isForeign(keyOfSlice(slice), slice)) owners.add(keyOfSlice(slice));
              },
              modified(slice, before) {
                if (isOwn(before) && !isOwn(slice)) owners.add(keyOfSlice(before));
                if (isOwn(slice) && tracker.isForeign(keyOfSlice(slice), slice)) owners.add(keyOfSlice(slice));
              },
              deleted(slice) {
                if (isOwn(slice) && tracker.gone(keyOfSlice(slice), slice)) owners.add(keyOfSlice(slice));
              },
            },
          },
        ];
      },
    },
    tools,
  );
}

function hasSelector({ spec }: { readonly spec?: unknown } & ApiObject): boolean {
  return typeof spec === "object" && spec !== null && "selector" in spec && spec.selector !== null;
}
