import type { Client } from "@orch/client/client.js";
import { readClientConfig } from "@orch/client/config.js";
import { createClient } from "@orch/client/http.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
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

export interface ClusterOptions {
  /** Set where nothing is to be changed: told what would be. */
  readonly dry?: (text: string) => void;
}

/** @throws Error where the file cannot be read */
export async function openCluster(clientConfigFile: string, options: ClusterOptions = {}): Promise<Cluster> {
  const client = createClient(await readClientConfig(clientConfigFile), { userAgent: "orchadm" });
  return clusterOver(client, options);
}

export function clusterOver(client: Client, { dry }: ClusterOptions = {}): Cluster {
  const get = (collection: Collection, name: string): Promise<ApiObject | undefined> =>
    client.get(collection, name).catch((error: unknown) => {
      if (error instanceof ApiError && error.reason === "NotFound") return undefined;
      throw error;
    });
  return {
    client,
    get,
    async ensure(collection, object) {
      if (dry !== undefined) {
        dry(`[dryrun] Would create or update the object:\n${printYaml(object).replace(/^(?=.)/gm, "\t")}`);
        return;
      }
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
