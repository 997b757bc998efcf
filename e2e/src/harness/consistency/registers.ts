import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@orch/client/http/http.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { isOutage } from "../clients.js";
import type { Operation } from "./linearizable.js";

/** What clients did to a few objects, each of which holds one value, and what lists of them all showed. */
export interface Record {
  readonly operations: readonly Operation[];
  readonly lists: readonly ListRecord[];
  /** Acknowledged writes by the version that the object had then. */
  readonly versions: readonly Version[];
  /** Reads and writes that failed as they may while something is down. */
  readonly outages: number;
}

export interface ListRecord {
  readonly version: number;
  readonly items: ReadonlyMap<string, number>;
}

export interface Version {
  readonly register: string;
  readonly version: number;
}

export interface RegisterClients {
  readonly record: Record;
  readonly done: Promise<void>;
}

export interface RegisterOptions {
  readonly collection: Collection;
  readonly names: readonly string[];
  /** One for each client at work; they are shared out among the gateways. */
  readonly clients: readonly Client[];
  readonly signal: AbortSignal;
}

const retryMs = 20;
const textOf = (object: ApiObject): string | undefined => {
  const { data } = object;
  return typeof data === "object" && data !== null && "value" in data ? String(data.value) : undefined;
};
const versionOf = (object: ApiObject): number => Number(object.metadata.resourceVersion);

/**
 * Clients that read and, every other one, also write the same objects without a pause, each one request at a time,
 * until the signal.
 */
export function startRegisterClients({ collection, names, clients, signal }: RegisterOptions): RegisterClients {
  const operations: Operation[] = [];
  const lists: ListRecord[] = [];
  const versions: Version[] = [];
  let outages = 0;
  let values = 0;

  /** An outage ends an operation without an answer. */
  const attempt = async <T>(ask: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await ask();
    } catch (error) {
      if (!isOutage(error)) throw error;
      outages += 1;
      await delay(retryMs);
      return undefined;
    }
  };
  const write = async (client: Client, register: string): Promise<void> => {
    const value = `v${++values}`;
    const invoked = performance.now();
    const answer = await attempt(() => client.update(collection, { metadata: { name: register }, data: { value } }));
    const completed = answer === undefined ? Number.POSITIVE_INFINITY : performance.now();
    operations.push({ register, type: "write", value, invoked, completed });
    if (answer !== undefined) versions.push({ register, version: versionOf(answer) });
  };
  const get = async (client: Client, register: string): Promise<void> => {
    const invoked = performance.now();
    const object = await attempt(() => client.get(collection, register));
    if (object === undefined) return;
    operations.push({ register, type: "read", value: textOf(object), invoked, completed: performance.now() });
  };
  const list = async (client: Client): Promise<void> => {
    const invoked = performance.now();
    const answer = await attempt(() => client.list(collection));
    if (answer === undefined) return;
    const completed = performance.now();
    const shown = answer.items.filter(({ metadata }) => names.includes(metadata.name ?? ""));
    for (const object of shown) {
      const register = object.metadata.name ?? "";
      operations.push({ register, type: "read", value: textOf(object), invoked, completed });
    }
    const items = new Map(shown.map((object) => [object.metadata.name ?? "", versionOf(object)]));
    lists.push({ version: Number(answer.resourceVersion), items });
  };

  const work = async (client: Client, i: number): Promise<void> => {
    while (!signal.aborted) {
      const register = names[Math.floor(Math.random() * names.length)] ?? "";
      if (i % 4 < 2 && Math.random() < 0.7) await write(client, register);
      else if (Math.random() < 0.7) await get(client, register);
      else await list(client);
    }
  };
  return {
    record: {
      operations,
      lists,
      versions,
      get outages() {
        return outages;
      },
    },
    done: Promise.all(clients.map(work)).then(() => undefined),
  };
}

/** Why a list is no state that ever was: it lacks a write from before its version, or shows one from after it. */
export function tornList({ lists, versions }: Record): string | undefined {
  for (const { version, items } of lists) {
    for (const [register, shown] of items) {
      if (shown > version) return `${register}@${shown} in a list of version ${version}`;
      const missed = versions.find((w) => w.register === register && w.version > shown && w.version <= version);
      if (missed !== undefined) return `${register}@${shown} in a list of version ${version}, not @${missed.version}`;
    }
  }
  return undefined;
}
