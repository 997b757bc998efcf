import { type Client, createClientOver } from "@orch/client/client.js";
import { readClientConfig } from "@orch/client/config.js";
import { createClient } from "@orch/client/http/http.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import { ApiError } from "@orch/status/api-error.js";
import { type Clock, sleep, systemClock } from "@orch/status/clock.js";
import type { Reason } from "@orch/status/reasons.js";

export const collections = {
  configMaps: (namespace: string): Collection => ({ group: "", version: "v1", resource: "configmaps", namespace }),
  secrets: (namespace: string): Collection => ({ group: "", version: "v1", resource: "secrets", namespace }),
  nodes: { group: "", version: "v1", resource: "nodes" },
} as const;

/** The cluster, as a command of ours changes it. */
export interface Cluster {
  readonly client: Client;
  /** Makes an object, or puts it in the place of the one with its name. */
  ensure(collection: Collection, object: ApiObject): Promise<void>;
  get(collection: Collection, name: string): Promise<ApiObject | undefined>;
  close(): Promise<void>;
}

/** @throws Error where the file cannot be read */
export async function openCluster(clientConfigFile: string): Promise<Cluster> {
  return clusterOver(createClient(await readClientConfig(clientConfigFile), { userAgent: "orchadm" }));
}

export function clusterOver(client: Client, clock: Clock = systemClock): Cluster {
  return {
    client,
    get: (collection, name) =>
      persistently(clock, (signal) =>
        client.get(collection, name, { signal }).catch((error: unknown) => {
          if (error instanceof ApiError && error.reason === "NotFound") return undefined;
          throw error;
        }),
      ),
    ensure: (collection, object) =>
      persistently(clock, async (signal) => {
        try {
          await client.create(collection, object, { signal });
        } catch (error) {
          // Somebody's, or ours by a request whose answer was lost.
          if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
          await client.update(collection, object, { signal });
        }
      }),
    close: () => client.close(),
  };
}

const patienceMs = 60_000;
const attemptMs = 15_000;
const pauseMs = 500;

/** A server that has just started, or is about to stop, is asked again for a while. */
async function persistently<T>(clock: Clock, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = clock.monotonic() + patienceMs;
  for (;;) {
    const signal = AbortSignal.timeout(attemptMs);
    try {
      return await run(signal);
    } catch (error) {
      const isPassing = signal.aborted || (error instanceof ApiError && passing.has(error.reason));
      if (!isPassing || clock.monotonic() >= end) throw error;
    }
    await sleep(clock, pauseMs);
  }
}

/** Reasons that another attempt may not meet. */
const passing: ReadonlySet<Reason> = new Set([
  "ServiceUnavailable",
  "Timeout",
  "ServerTimeout",
  "TooManyRequests",
  "Conflict",
]);

/** One in which nothing is and nothing changes: what would be written is told. */
export function dryCluster(print: (text: string) => void): Cluster {
  const nobody = (): never => {
    throw new Error("a dry run speaks to no cluster");
  };
  return {
    client: createClientOver({ send: nobody, open: nobody, close: async () => {} }),
    get: async () => undefined,
    async ensure({ resource }, object) {
      const { data } = object;
      const shown = resource === "secrets" && isRecord(data) ? { ...object, data: hidden(data) } : object;
      print(`[dryrun] Would create or update the object:\n${printYaml(shown).replace(/^(?=.)/gm, "\t")}`);
    },
    close: async () => {},
  };
}

const hidden = (data: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(data).map((key) => [key, "(a secret: not shown)"]));
