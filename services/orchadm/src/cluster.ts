import { type Client, createClientOver } from "@orch/client/client.js";
import { readClientConfig } from "@orch/client/config.js";
import { createClient } from "@orch/client/http.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { printYaml } from "@orch/codec/yaml.js";
import { ApiError } from "@orch/status/api-error.js";

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

export function clusterOver(client: Client): Cluster {
  return {
    client,
    get: (collection, name) =>
      client.get(collection, name).catch((error: unknown) => {
        if (error instanceof ApiError && error.reason === "NotFound") return undefined;
        throw error;
      }),
    async ensure(collection, object) {
      try {
        await client.create(collection, object);
      } catch (error) {
        if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
        await client.update(collection, object);
      }
    },
    close: () => client.close(),
  };
}

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
