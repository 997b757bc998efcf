import type { JsonObject } from "@orch/schema/descriptor.js";
import { difference, has, isEmpty, pathSet } from "../fields/field-set.js";
import { fieldElement, type PathElement } from "../fields/path-element.js";
import { TypedError } from "./list-items.js";
import { type Managers, managerId, type Owner, readManagers, withSet, writeManagers } from "./managers.js";

/**
 * Where the versions of a kind have what is `spec.replicas` in their scale: `["spec", "replicas"]`; null for a version
 * without a scale. Versions that are not there are not known any more.
 */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | null>;

const scaleVersion = "autoscaling/v1";
const replicasInScale: readonly PathElement[] = ["spec", "replicas"].map(fieldElement);

function managersOf(entries: readonly JsonObject[]): Managers {
  const read = readManagers(entries);
  if ("wrong" in read) throw new TypedError(read.wrong);
  return read.managers;
}

/** The path in a version; null for none, undefined for a version that is not known. */
function pathIn(paths: ReplicasPaths, apiVersion: string): readonly PathElement[] | null | undefined {
  const path = paths.get(apiVersion);
  return path === undefined || path === null ? path : path.map(fieldElement);
}

/**
 * The entries of a scale: those of its parent that own the replicas, as the scale's fields. Throws TypedError for
 * entries that can not be read.
 */
export function scaleManagedFields(parent: readonly JsonObject[], paths: ReplicasPaths): readonly JsonObject[] {
  const managers = new Map<string, Owner>();
  for (const [id, owner] of managersOf(parent)) {
    const path = pathIn(paths, owner.apiVersion);
    if (path === undefined || path === null || !has(owner.set, path)) continue;
    managers.set(id, { ...owner, apiVersion: scaleVersion, set: pathSet(replicasInScale), entry: undefined });
  }
  return writeManagers(managers, []) ?? [];
}

/**
 * The entries of a parent after its scale was written: who lost the replicas there loses them here, who owns them there
 * owns them here, in the parent's version `apiVersion`. Throws TypedError for entries that can not be read.
 */
export function parentManagedFields(
  parent: readonly JsonObject[],
  scale: readonly JsonObject[],
  { paths, apiVersion }: { readonly paths: ReplicasPaths; readonly apiVersion: string },
): readonly JsonObject[] | undefined {
  const before = managersOf(parent);
  const scaled = new Map(managersOf(scale));
  const managers = new Map<string, Owner>();
  for (const [id, owner] of before) {
    const path = pathIn(paths, owner.apiVersion);
    if (path === undefined) continue;
    const owns = path !== null && has(owner.set, path);
    const kept = owns && !scaled.delete(id) ? withSet(owner, difference(owner.set, pathSet(path))) : owner;
    if (!owns || !isEmpty(kept.set)) managers.set(id, kept);
  }
  const path = pathIn(paths, apiVersion);
  for (const [id, owner] of scaled) {
    if (!has(owner.set, replicasInScale) || path === undefined || path === null) continue;
    // Times are the parent's: an owner that is new has none.
    const own = { ...owner, apiVersion, time: before.get(id)?.time, set: pathSet(path), entry: undefined };
    const former = before.get(managerId(own));
    // Who owned them before owns what it did: an entry beside that one would be read as all that it has.
    if (former !== undefined && has(former.set, path)) managers.set(managerId(own), former);
    else managers.set(id, own);
  }
  return writeManagers(managers, parent);
}
