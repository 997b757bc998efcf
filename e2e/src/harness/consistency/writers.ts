import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@orch/client/http/http.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { isOutage } from "../clients.js";
import { contentOf, numberOf } from "../content.js";

/** A write that was acknowledged, or found done when the client looked after an answer was lost. */
export interface Acknowledged {
  readonly name: string;
  /** undefined for a deletion. */
  readonly n: number | undefined;
  /** Of the stored object; undefined for a deletion. */
  readonly version: string | undefined;
  readonly uid: string;
}

/** One client that changes one object for ever, trying again through another gateway when it must. */
export interface Writer {
  readonly name: string;
  readonly acknowledged: readonly Acknowledged[];
  /** Attempts that failed with an outage. */
  readonly outages: number;
  readonly done: Promise<void>;
}

export interface WriterOptions {
  readonly name: string;
  readonly collection: Collection;
  readonly clients: readonly Client[];
  readonly labels: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const retryMs = 20;
/** Every so many writes the object is deleted, and created anew by the next. */
export const lifetime = 12;

export function startWriter(options: WriterOptions): Writer {
  const { name, collection, clients, labels, signal } = options;
  const acknowledged: Acknowledged[] = [];
  let outages = 0;
  let turn = 0;

  /** Runs a request until it has an answer that is no outage. */
  const persist = async <T>(ask: (client: Client) => Promise<T>): Promise<T> => {
    for (;;) {
      const client = clients[turn % clients.length];
      if (client === undefined) throw new TypeError("a writer without a client");
      try {
        return await ask(client);
      } catch (error) {
        if (!isOutage(error)) throw error;
        outages += 1;
        turn += 1;
        await delay(retryMs);
      }
    }
  };
  const read = (): Promise<ApiObject | undefined> => persist((client) => unlessNotFound(client.get(collection, name)));

  /** Writes a state after `current`; when an answer was lost it looks first whether the write was done. */
  const put = async (current: ApiObject | undefined, n: number): Promise<ApiObject> => {
    let base = current;
    for (let attempt = 0; ; attempt++) {
      if (attempt > 0) {
        base = await read();
        if (base !== undefined && numberOf(base) === n) return base;
      }
      const version = base?.metadata.resourceVersion;
      const metadata = { name, labels, ...(version === undefined ? {} : { resourceVersion: version }) };
      const object = { metadata, data: { ...contentOf(n, 200) } };
      const client = clients[turn % clients.length];
      if (client === undefined) throw new TypeError("a writer without a client");
      try {
        return version === undefined
          ? await client.create(collection, object)
          : await client.update(collection, object);
      } catch (error) {
        // Nobody else writes this name: a conflict is an attempt of ours whose answer was lost.
        if (!(isOutage(error) || (attempt > 0 && isConflict(error)))) throw error;
        outages += 1;
        turn += 1;
        await delay(retryMs);
      }
    }
  };

  const run = async (): Promise<void> => {
    let current: ApiObject | undefined;
    for (let n = 1; !signal.aborted; n++) {
      if (current !== undefined && n % lifetime === 0) {
        await persist((client) => unlessNotFound(client.delete(collection, name)));
        acknowledged.push({ name, n: undefined, version: undefined, uid: current.metadata.uid ?? "" });
        current = undefined;
        continue;
      }
      current = await put(current, n);
      const { resourceVersion, uid = "" } = current.metadata;
      acknowledged.push({ name, n, version: resourceVersion, uid });
    }
  };

  return {
    name,
    acknowledged,
    get outages() {
      return outages;
    },
    done: run(),
  };
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && (error.reason === "Conflict" || error.reason === "AlreadyExists");
}

async function unlessNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.reason === "NotFound") return undefined;
    throw error;
  }
}
