import type { ResourceAttributes } from "@orch/auth/authorizer.js";
import { forbiddenError } from "@orch/auth/forbidden.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { invalid, notFound } from "@orch/status/api-error.js";
import { fieldError } from "@orch/status/field-error.js";
import { DamagedEntry } from "@orch/store/damaged-entry.js";
import type { Revision } from "@orch/store/revision.js";
import { successReply } from "../reply.js";
import { storedObject } from "../storing/stored.js";
import { keyOf, resourceOf, type Write } from "../write.js";
import { unreadOption } from "./delete-options.js";

/** What a user may have to be allowed beside deleting, as in the reference. */
const verb = "unsafe-delete-ignore-read-errors";

/**
 * Deletes an object that cannot be read, and only such a one: its finalizers and what depends on it are not looked at, for
 * nobody knows them. @throws ApiError Invalid for one that can be read
 */
export async function removeUnread(write: Write): Promise<WriteReply> {
  const { deps, kind, request } = write;
  await checkAllowed(write);
  const at = keyOf(write, request.name);
  const damaged = await revisionOfUnreadable(write);
  const swap = await deps.store.swap({ key: at, expected: damaged, value: undefined });
  // Somebody was faster, with a deletion or a new state.
  if (!swap.done && swap.current !== undefined) throw readable(write);
  if (!swap.done) throw notFound(resourceOf(kind), request.name);
  const group = kind.group === "" ? {} : { group: kind.group };
  return successReply(write, 200, [], { name: request.name, ...group, kind: kind.plural });
}

async function revisionOfUnreadable(write: Write): Promise<Revision> {
  const { deps, kind, request } = write;
  try {
    const entry = await deps.store.get(keyOf(write, request.name));
    if (entry === undefined) throw notFound(resourceOf(kind), request.name);
    storedObject(kind, entry);
  } catch (error) {
    if (error instanceof DamagedEntry) return error.revision;
    throw error;
  }
  throw readable(write);
}

function readable({ kind, request }: Write) {
  return invalid({ group: kind.group, kind: kind.plural }, request.name, [
    fieldError.invalid(
      unreadOption,
      true,
      "is exclusively used to delete corrupt object(s), try again by removing this option",
    ),
  ]);
}

async function checkAllowed({ deps, request, span }: Write): Promise<void> {
  const { group, version, resource, namespace, name, user } = request;
  const attributes: ResourceAttributes = {
    ...{ kind: "resource", user, verb },
    ...{ group, version, resource, subresource: "", namespace, name },
  };
  const { outcome, reason } = await deps.permissions.authorizer.authorize(attributes, span);
  if (outcome !== "allow") throw forbiddenError(attributes, reason);
}
