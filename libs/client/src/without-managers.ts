import type { ApiObject } from "./objects.js";

/** What is kept of an object where nobody asks whose fields they are: they are a third of it and more. */
export function withoutManagers({ metadata: { managedFields: _fields, ...metadata }, ...rest }: ApiObject): ApiObject {
  return { ...rest, metadata };
}
