import type { AnyObject } from "@orch/api/object.js";
import { isObject } from "@orch/schema/descriptor.js";
import { keyOf, type Write } from "../write/write.js";
import { parsed } from "./documents.js";

type Owners = AnyObject["metadata"]["ownerReferences"];

interface Living {
  readonly owners: Owners;
  /** Of those that are gone. */
  readonly warnings: readonly string[];
}

/**
 * The owners of an object that are there, with the uid by which it knows them: with another one the garbage collector would take
 * the object away again.
 */
export async function livingOwners(write: Write, object: AnyObject): Promise<Living> {
  const owners = object.metadata.ownerReferences ?? [];
  const alive = await Promise.all(owners.map((owner) => isAlive(write, owner)));
  const warnings = owners.flatMap(({ kind, name }, i) =>
    alive[i] === true ? [] : [`the owner ${kind} ${JSON.stringify(name)} is gone: the object comes back without it`],
  );
  const left = owners.filter((_, i) => alive[i]);
  return { owners: left.length === 0 ? undefined : left, warnings };
}

async function isAlive(write: Write, owner: NonNullable<Owners>[number]): Promise<boolean> {
  const { apiVersion, kind: name, uid } = owner;
  const kind = write.deps.catalog.kind(String(apiVersion), String(name));
  if (kind === undefined) return false;
  const namespace = kind.namespaced ? write.request.namespace : "";
  const at = keyOf({ ...write, kind: kind.hub, request: { ...write.request, namespace } }, String(owner.name));
  const entry = await write.deps.store.get(at);
  return entry !== undefined && uidOf(parsed(entry.value)) === uid;
}

function uidOf(object: unknown): unknown {
  return isObject(object) && isObject(object["metadata"]) ? object["metadata"]["uid"] : undefined;
}
