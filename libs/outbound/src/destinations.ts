import { badRequest } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";
import { LRUCache } from "lru-cache";
import { type Destination, destinationOf, type WebhookClientConfig } from "./destination.js";

/** Each question brings the configuration of its webhook, with its certificates: those of the last ones are read once. */
const mostKept = 512;
const mostCharacters = 8 << 20;

/** Reads WebhookClientConfigs in JSON. @throws ApiError BadRequest for what is none */
export function createDestinations(): (client: string) => Destination {
  const known = new LRUCache<string, Destination>({
    ...{ max: mostKept, maxSize: mostCharacters },
    sizeCalculation: (_, client) => client.length + 1,
  });
  return (client) => {
    const found = known.get(client) ?? destinationOf(clientOf(client));
    known.set(client, found);
    return found;
  };
}

function clientOf(text: string): WebhookClientConfig {
  try {
    const client: WebhookClientConfig | null = readJson(text);
    if (client instanceof Object) return client;
  } catch (error) {
    throw badRequest("the webhook's configuration is no JSON", error);
  }
  throw badRequest("the webhook's configuration is no object");
}
