import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@orch/client/http/http.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { isOutage } from "../clients.js";
import { numberOf } from "../content.js";
import { lifetime, type Writer } from "./writers.js";

/** A client that reads what others write and checks that no read is older than what was acknowledged before it. */
export interface Reader {
  readonly reads: number;
  readonly outages: number;
  readonly done: Promise<void>;
}

export interface ReaderOptions {
  readonly collection: Collection;
  readonly clients: readonly Client[];
  readonly writers: readonly Writer[];
  readonly signal: AbortSignal;
}

const retryMs = 20;

export function startReader({ collection, clients, writers, signal }: ReaderOptions): Reader {
  let reads = 0;
  let outages = 0;

  const find = async (client: Client, name: string): Promise<ApiObject | undefined> => {
    if (reads % 2 === 0) {
      const { items } = await client.list(collection, { fieldSelector: `metadata.name=${name}` });
      return items[0];
    }
    try {
      return await client.get(collection, name);
    } catch (error) {
      if (error instanceof ApiError && error.reason === "NotFound") return undefined;
      throw error;
    }
  };

  const run = async (): Promise<void> => {
    for (let turn = 0; !signal.aborted; turn++) {
      const [client, writer] = [clients[turn % clients.length], writers[turn % writers.length]];
      if (client === undefined || writer === undefined) return;
      const before = writer.acknowledged.length;
      try {
        const object = await find(client, writer.name);
        check(writer, before, object);
        reads += 1;
      } catch (error) {
        if (!isOutage(error)) throw error;
        outages += 1;
        await delay(retryMs);
      }
    }
  };
  return {
    get reads() {
      return reads;
    },
    get outages() {
      return outages;
    },
    done: run(),
  };
}

/** A writer's n-th write makes the object `n`, or deletes it; the one after the last acknowledged may be under way. */
function check(writer: Writer, before: number, object: ApiObject | undefined): void {
  const newest = writer.acknowledged.length + 1;
  if (object !== undefined) {
    const n = numberOf(object);
    assert.ok(n >= before && n <= newest, `read ${n} of ${writer.name} after ${before} was acknowledged`);
    return;
  }
  const nextDeletion = Math.ceil(before / lifetime) * lifetime;
  assert.ok(nextDeletion <= newest, `found no ${writer.name} after ${before} was acknowledged`);
}
