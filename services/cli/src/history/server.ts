import { readClientConfigs } from "@orch/client/config.js";
import { type ApiResource, createDiscovery } from "@orch/client/discovery.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { isRecord } from "@orch/client/objects.js";
import { createNaming, dialects, type Naming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/runtime/clock.js";
import { readJson } from "@orch/status/read-json.js";
import { Unusable } from "./world.js";

/** A server whose objects' past is asked for. */
export interface Server {
  readonly client: Client;
  readonly naming: Naming;
  /** Each resource once. */
  readonly resources: readonly ApiResource[];
  /** The one that is meant where a command names none. */
  readonly namespace: string;
}

export interface Reached {
  /** Client configuration files, the first one first. */
  readonly files: readonly string[];
  readonly context: string | undefined;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly interactive: boolean;
  readonly userAgent: string;
}

/** @throws Error of a client configuration that cannot be used, ApiError */
export async function reach({ files, context, environment, interactive, userAgent }: Reached): Promise<Server> {
  const config = await readClientConfigs(files, {
    ...(context === undefined ? {} : { context }),
    tools: { clock: systemClock, environment, interactive },
  });
  const client = createClient(config, { userAgent });
  try {
    const naming = await namingOf(client);
    const { preferred } = await createDiscovery(client, naming).read();
    return { client, naming, resources: preferred, namespace: config.namespace };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The dialect of a server, by the names of its groups. */
async function namingOf(client: Pick<Client, "raw">): Promise<Naming> {
  const { body } = await client.raw({ method: "GET", path: "/apis" });
  const list: unknown = readJson(body.toString("utf8"));
  const groups: unknown = isRecord(list) ? list["groups"] : undefined;
  const names = Array.isArray(groups) ? groups.map((group: unknown) => (isRecord(group) ? group["name"] : "")) : [];
  const namings = dialects.map((dialect) => createNaming(dialect));
  const found = namings.find((naming) => names.includes(naming.group("rbac.authorization")));
  return found ?? createNaming("kubernetes");
}

/** By plural, kind or another of its names, with the group behind a dot where that is said. @throws Unusable */
export function resourceOf({ resources }: Pick<Server, "resources">, word: string): ApiResource {
  const wanted = word.toLowerCase();
  const found = resources.find(({ group, resource, kind, otherNames = [] }) =>
    [resource, kind.toLowerCase(), ...otherNames].some((name) => wanted === name || wanted === `${name}.${group}`),
  );
  if (found === undefined) throw new Unusable(`the server has no ${word}`);
  return found;
}

/** As a person names it: `configmaps`, `deployments.apps`. */
export const nameOf = ({ resource, group }: ApiResource): string => (group === "" ? resource : `${resource}.${group}`);

export const hasHistory = ({ subresources = [] }: ApiResource): boolean => subresources.includes("history");
