import type { AnyObject } from "@orch/api/object.js";
import { internalError } from "@orch/status/api-error.js";
import type { Mirror } from "../mirror.js";
import { assumesNamespace } from "../write/assumed-namespace.js";
import { findStored } from "../write/storing/stored.js";
import { builtIn, type Write } from "../write/write.js";

/** The namespace of a write, as the mirror has it, or the store where the mirror has not heard of it yet. */
export async function namespaceOf(write: Write, namespaces: Mirror): Promise<AnyObject | undefined> {
  const { namespace } = write.request;
  const known =
    namespaces.find("", namespace) ?? (await findStored(write, builtIn(write, "v1", "Namespace"), namespace));
  return known ?? (assumesNamespace(write.request) ? { metadata: { name: namespace } } : undefined);
}

/** @throws ApiError InternalError where there is none, which another plugin lets through */
export async function requireNamespace(write: Write, namespaces: Mirror): Promise<AnyObject> {
  const namespace = await namespaceOf(write, namespaces);
  if (namespace === undefined) throw internalError(`failed to lookup namespace ${write.request.namespace}`);
  return namespace;
}
