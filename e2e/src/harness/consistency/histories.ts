import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@orch/client/http/http.js";
import { isGone } from "@orch/client/list-all.js";
import type { Collection } from "@orch/client/objects.js";
import { watch } from "@orch/client/watch.js";
import { isOutage } from "../clients.js";

/** Everything that one watcher was told, over all the watches that it needed for it. */
export interface History {
  /** `MODIFIED lane-1 17 <uid>`: type, name, version, uid. */
  readonly events: readonly string[];
  /** The version of the last event. */
  last(): number;
  /** Watches that it opened. */
  readonly watches: number;
  /** Settles when the signal has aborted. */
  readonly done: Promise<void>;
  /** How often a process that has just started could not go back far enough, and another was asked. */
  readonly tooOld: number;
}

export interface HistoryOptions {
  readonly collection: Collection;
  readonly from: string;
  /** Asked in turn, each time a watch has ended. */
  readonly clients: readonly Client[];
  readonly labelSelector?: string;
  readonly signal: AbortSignal;
}

const retryMs = 50;

/** Watches a collection and goes on from the last version it was told whenever a watch ends or breaks. */
export function follow(options: HistoryOptions): History {
  const { collection, clients, labelSelector, signal } = options;
  const events: string[] = [];
  let at = options.from;
  let watches = 0;
  let tooOld = 0;
  const once = async (client: Client): Promise<void> => {
    const selector = labelSelector === undefined ? {} : { labelSelector };
    for await (const { type, object } of watch(client, collection, { ...selector, resourceVersion: at, signal })) {
      const { name, resourceVersion = "", uid } = object.metadata;
      at = resourceVersion;
      if (type !== "BOOKMARK") events.push(`${type} ${name} ${resourceVersion} ${uid}`);
    }
  };
  const run = async (): Promise<void> => {
    for (let turn = 0; !signal.aborted; turn++) {
      const client = clients[turn % clients.length];
      if (client === undefined) return;
      watches += 1;
      try {
        await once(client);
      } catch (error) {
        if (signal.aborted) return;
        if (isGone(error)) tooOld += 1;
        else if (!isOutage(error)) throw error;
        await delay(retryMs);
      }
    }
  };
  return {
    events,
    last: () => Number(at),
    done: run(),
    get watches() {
      return watches;
    },
    get tooOld() {
      return tooOld;
    },
  };
}
