import type { Client } from "@orch/client/client.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import type { Kind } from "./objects.js";

/**
 * Replaces the status of the version that was seen: where it has changed meanwhile, the change leads to another look.
 * @returns the object as it is stored, or undefined where it is gone or was changed meanwhile
 * @throws ApiError
 */
export async function writeStatus(
  client: Pick<Client, "update">,
  { apiVersion, kind, collection }: Kind,
  object: ApiObject,
  status: object,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  const { namespace = "" } = object.metadata;
  const written = { ...object, apiVersion, kind, status };
  return await client
    .update({ ...collection, namespace }, written, { subresource: "status", signal })
    .catch(unlessPast);
}
