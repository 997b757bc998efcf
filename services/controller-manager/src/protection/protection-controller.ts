import type { Client } from "@orch/client/http/http.js";
import { identityOnly } from "@orch/client/metadata-only.js";
import type { View } from "@orch/client/mirror.js";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { createWorkQueue } from "@orch/client/work-queue.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Controller, ControllerName } from "../controller.js";
import { finalizersOf } from "../garbage/references.js";
import { type ControllerTools, failureTeller } from "../tools.js";

export interface ProtectionTools extends Omit<ControllerTools, "client" | "discovery"> {
  readonly client: Pick<Client, "list" | "get" | "update">;
}

/** Objects that do not go while they are used: a finalizer stays on them until then. */
export interface Protected {
  readonly name: ControllerName;
  /** The name of its work queue, for metrics. */
  readonly queue: string;
  readonly collection: Collection;
  readonly finalizer: string;
  /** What is kept of an object, beside who it is and whether it goes. */
  readonly keep: (object: ApiObject) => object;
  /** Asked only of what is to go. */
  readonly isUsed: (object: ApiObject, signal: AbortSignal) => boolean | Promise<boolean>;
  /** Follows what else the use depends on; `look` says that an object may be free now. */
  readonly users?: (look: (key: string) => void) => Pick<View<ApiObject>, "run" | "synced">;
}

/** Puts the finalizer on what lacks it, and takes it away from what is to go and is not used. */
export function createProtectionController(of: Protected, tools: ProtectionTools): Controller {
  const { client, mirror, clock, telemetry } = tools;
  const { collection, finalizer } = of;
  const failed = failureTeller(tools, of.name);

  /** As it is now: with its version, whatever somebody else changes meanwhile is a conflict. */
  const change = async (seen: ApiObject, wanted: boolean, signal: AbortSignal): Promise<void> => {
    const { name = "", namespace, uid } = seen.metadata;
    const place = namespace === undefined ? collection : { ...collection, namespace };
    const live = await client.get(place, name, { signal }).catch(undefinedWhereMissing);
    if (live === undefined || live.metadata.uid !== uid || has(live, finalizer) === wanted) return;
    if (goes(live) === wanted) return;
    const others = finalizersOf(live).filter((one) => one !== finalizer);
    const finalizers = wanted ? [...others, finalizer] : others;
    await client.update(place, { ...live, metadata: { ...live.metadata, finalizers } }, { signal });
  };

  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers: 1,
        work: async (key, working) => {
          const object = objects.store.get(key);
          if (object === undefined || goes(object) !== has(object, finalizer)) return "done";
          if (!goes(object)) await change(object, true, working);
          else if (!(await of.isUsed(object, working))) await change(object, false, working);
          return "done";
        },
        clock,
        observer: telemetry.queue(of.queue),
        onError: (error, key) => failed(error, { key }),
      });
      const look = (object: ApiObject): void => queue.add(keyOf(object));
      const objects = mirror.view({
        collection,
        sees: "objects",
        keep: (object) => ({ ...protectedOnly(object), ...of.keep(object) }),
        handlers: { added: look, modified: look },
        onError: failed,
      });
      const users = of.users?.((key) => queue.add(key));
      const following = [objects.run(signal), ...(users === undefined ? [] : [users.run(signal)])];
      // Users that were not read yet would be missed.
      await Promise.race([Promise.all([objects.synced, users?.synced]), ...following]);
      await Promise.all([...following, queue.run(signal)]);
    },
  };
}

function protectedOnly(object: ApiObject): ApiObject {
  const { deletionTimestamp, finalizers } = object.metadata;
  return {
    metadata: {
      ...identityOnly(object).metadata,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
  };
}

function goes({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function has(object: ApiObject, finalizer: string): boolean {
  return finalizersOf(object).includes(finalizer);
}

function undefinedWhereMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.reason === "NotFound") return undefined;
  throw error;
}
