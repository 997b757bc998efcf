import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@orch/client/http/http.js";
import { listAll } from "@orch/client/list-all.js";
import type { Collection } from "@orch/client/objects.js";
import { watch } from "@orch/client/watch.js";

/** Clients that ask on and on, none of which asks twice. */
export interface SteadyLoad {
  /** Requests that were answered as they should be. */
  readonly done: number;
  /** What anything but that was. */
  readonly failures: readonly string[];
  /** Names that were created, by each client in its order. */
  readonly created: readonly (readonly string[])[];
  stop(): Promise<void>;
}

export interface SteadyLoadOptions {
  readonly collection: Collection;
  readonly clients: number;
  /** The same client again, or a new one: how many rounds each has. */
  readonly roundsOfClient: (client: number) => number;
  readonly newClient: () => Client;
}

const pauseMs = 5;

/** A round is a create, a get, a list in pages and, of every second object, a delete. */
export function startSteadyLoad(options: SteadyLoadOptions): SteadyLoad {
  const { collection, clients, roundsOfClient, newClient } = options;
  const failures: string[] = [];
  const created: string[][] = [];
  let done = 0;
  let stopped = false;
  const attempt = async (what: string, ask: () => Promise<unknown>): Promise<void> => {
    try {
      await ask();
      done += 1;
    } catch (error) {
      failures.push(`${what}: ${error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : error}`);
    }
  };
  const run = async (index: number): Promise<void> => {
    const names: string[] = [];
    created.push(names);
    let client = newClient();
    for (let i = 0; !stopped; i++) {
      if (i > 0 && i % roundsOfClient(index) === 0) {
        await client.close();
        client = newClient();
      }
      const name = `c${index}-${i}`;
      await attempt(`create ${name}`, () => client.create(collection, { metadata: { name }, data: { i: String(i) } }));
      names.push(name);
      await attempt(`get ${name}`, () => client.get(collection, name));
      await attempt("list", () => pages(client, collection));
      if (i % 2 === 0) await attempt(`delete ${name}`, () => client.delete(collection, name));
      await delay(pauseMs);
    }
    await client.close();
  };
  const running = Promise.all(Array.from({ length: clients }, (_, index) => run(index)));
  return {
    get done() {
      return done;
    },
    failures,
    created,
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** Two pages: the second may come from another server. */
async function pages(client: Client, collection: Collection): Promise<void> {
  const first = await client.list(collection, { limit: 3 });
  if (first.continue !== "") await client.list(collection, { limit: 3, continue: first.continue });
}

/** A watch that goes on from the last version it was told whenever its server ends it. Nothing else may end it. */
export interface SteadyWatch {
  /** `ADDED c0-1`. */
  readonly events: readonly string[];
  /** How often it was begun. */
  readonly begun: number;
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

export async function startSteadyWatch(client: Client, collection: Collection): Promise<SteadyWatch> {
  const events: string[] = [];
  const failures: string[] = [];
  const ending = new AbortController();
  let at = (await listAll(client, collection)).resourceVersion;
  let begun = 0;
  const once = async (): Promise<void> => {
    begun += 1;
    for await (const { type, object } of watch(client, collection, { resourceVersion: at, signal: ending.signal })) {
      at = object.metadata.resourceVersion ?? "";
      if (type !== "BOOKMARK") events.push(`${type} ${object.metadata.name}`);
    }
  };
  const running = (async () => {
    while (!ending.signal.aborted && failures.length < 10) {
      await once().catch((error: unknown) => {
        if (!ending.signal.aborted) failures.push(String(error));
      });
    }
  })();
  return {
    events,
    get begun() {
      return begun;
    },
    failures,
    async stop() {
      ending.abort();
      await running;
      await client.close();
    },
  };
}
