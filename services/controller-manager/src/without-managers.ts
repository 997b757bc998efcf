import type { ApiObject } from "@orch/client/objects.js";

/** What a reflector keeps for a controller that never asks whose fields they are. */
export function withoutManagers({ metadata: { managedFields: _fields, ...metadata }, ...rest }: ApiObject): ApiObject {
  return { ...rest, metadata };
}
