import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { ApiError } from "@orch/status/api-error.js";
import { DamagedEntry } from "@orch/store/damaged-entry.js";
import { create } from "./create.js";
import { remove } from "./deletion/delete.js";
import { ownWrite } from "./own-write.js";
import { storedObject } from "./storing/stored.js";
import { update } from "./update.js";
import { keyOf, type WriteDeps } from "./write.js";

/** An object that the server itself makes and keeps right. */
export interface KeptObject {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name: string;
  /** See {@link OwnWrite}. */
  readonly fieldManager?: string;
  /** As it should be, of what is stored; undefined where it is so, or is not the server's to change. */
  readonly right: (stored: AnyObject | undefined) => Righting | undefined;
}

export interface Righting {
  readonly object: object;
  /** What is there cannot become this, and is deleted first. */
  readonly anew?: boolean;
}

/** Whoever else writes it meanwhile, a user or another server, has as a rule done so once. */
const tries = 3;

/** Makes an object that is missing, rights one that is wrong. Whether it wrote. @throws ApiError */
export async function ensureKept(deps: WriteDeps, kept: KeptObject): Promise<boolean> {
  for (let left = tries; ; left--) {
    try {
      return await ensure(deps, kept);
    } catch (error) {
      // What cannot be read is for its owner to delete or restore; the server's other objects do not wait for it.
      if (error instanceof DamagedEntry) return false;
      if (left === 1 || !isOvertaken(error)) throw error;
    }
  }
}

async function ensure(deps: WriteDeps, kept: KeptObject): Promise<boolean> {
  const { kind, namespace = "", name, right } = kept;
  const manager = kept.fieldManager === undefined ? {} : { fieldManager: kept.fieldManager };
  const entry = await deps.store.get(keyOf(ownWrite(deps, kind, { verb: "update", namespace }), name));
  const stored = entry === undefined ? undefined : storedObject(kind, entry);
  const righting = right(stored);
  if (righting === undefined) return false;
  const { object, anew = false } = righting;
  if (stored !== undefined && !anew) {
    await update(ownWrite(deps, kind, { verb: "update", namespace, name, object, ...manager }));
    return true;
  }
  if (stored !== undefined) await removeKept(deps, kind, stored);
  await create(ownWrite(deps, kind, { verb: "create", namespace, object, ...manager }));
  return true;
}

/** Deletes just this object, not one that has its name by now. @throws ApiError */
export async function removeKept(deps: WriteDeps, kind: Kind, { metadata }: AnyObject): Promise<void> {
  const { namespace = "", name = "", uid } = metadata;
  const object = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid } };
  await remove(ownWrite(deps, kind, { verb: "delete", namespace, name, object }));
}

/** It came, went or changed since it was looked at. A namespace that is missing is so for longer. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof ApiError && ["AlreadyExists", "Conflict", "NotFound"].includes(error.reason);
}
