import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { ApiError, badRequest } from "@orch/status/api-error.js";
import { filtered } from "../fields/field-filter.js";
import { difference, equalSets, isEmpty, sorted } from "../fields/field-set.js";
import { sameTree } from "../fields/same-tree.js";
import { problemsOf } from "./check.js";
import { conflictError } from "./conflict-error.js";
import { emptyObject, type FieldWrite, knownSchema, type VersionedObject } from "./field-write.js";
import { fieldsOf } from "./fields-of.js";
import { remainingConflicts, withLastApplied } from "./last-applied.js";
import { TypedError } from "./list-items.js";
import { at, type Managers, managerId, type Owner, readManagers, withSet, writeManagers } from "./managers.js";
import { merge } from "./merge.js";
import { prune } from "./prune.js";
import { ConflictsError, comparisons, currentManagers, takeOver } from "./take-over.js";
import { asRequested, entriesOf, keyOf, neverOwned, updated, withEntries } from "./track-update.js";

/** The manager of what an object had before it was first applied to. */
const beforeFirstApply = "before-first-apply";

export interface ApplyWrite extends FieldWrite {
  /** Takes fields from their owners. */
  readonly force: boolean;
}

/**
 * The object that a configuration, as it was parsed, makes of the live one (undefined: it is created), in the version
 * of the request and with its `metadata.managedFields`; the live one itself where the configuration says nothing new. It
 * is a merged tree: nulls of the configuration stand in it.
 *
 * Throws ApiError: Conflict with a cause for each field that others own, BadRequest for a configuration of another
 * kind or version, with managedFields, or that does not fit its type; InternalError where the live object does not. Serves rules: Server-side apply.
 */
export function applyConfiguration(
  live: JsonObject | undefined,
  configuration: JsonObject,
  write: ApplyWrite,
): JsonObject {
  const before = entriesOf(live);
  const read = readManagers(before);
  if ("wrong" in read) throw new ApiError("InternalError", `failed to decode managed fields: ${read.wrong}`);
  refuseOthers(configuration, write);
  const start = asRequested(live ?? emptyObject(write), write);
  return explained(() => {
    const managers = read.managers.size > 0 ? read.managers : managersBefore(start.object, write);
    const { object, managers: after } = migrated(start, configuration, managers, write);
    const said = withLastApplied(write, object, configuration);
    const entries = writeManagers(after, before);
    const unchanged = said === start.object && entries === before;
    return unchanged && live?.["apiVersion"] === write.apiVersion ? live : withEntries(said, entries);
  });
}

/** `/v1, Kind=ConfigMap`; nothing of what is no version. */
function showKind(configuration: JsonObject): string {
  const { apiVersion, kind } = configuration;
  const [first = "", second, ...more] = typeof apiVersion === "string" ? apiVersion.split("/") : [];
  if (more.length > 0) return "/, Kind=";
  const [group, version] = second === undefined ? ["", first] : [first, second];
  return `${group}/${version}, Kind=${typeof kind === "string" ? kind : ""}`;
}

function refuseOthers(configuration: JsonObject, { apiVersion, kind }: FieldWrite): void {
  if (configuration["apiVersion"] !== apiVersion || configuration["kind"] !== kind.kind) {
    throw badRequest(`invalid object type: ${showKind(configuration)}`);
  }
  const metadata = configuration["metadata"];
  if (isObject(metadata) && Array.isArray(metadata["managedFields"])) {
    throw badRequest("metadata.managedFields must be nil");
  }
}

/** What an applied object is, where it is none of its kind. */
export function showUnconverted(object: JsonObject): string {
  const why = `unable to convert unstructured object to ${showKind(object)}`;
  return `failed to convert new object (${showObject(object)}) to proper version: ${why}`;
}

/** `ns/name; /v1, Kind=ConfigMap` */
function showObject(configuration: JsonObject): string {
  const metadata = isObject(configuration["metadata"]) ? configuration["metadata"] : {};
  const [namespace, name] = [metadata["namespace"], metadata["name"]].map((v) => (typeof v === "string" ? v : ""));
  return `${namespace}/${name}; ${showKind(configuration)}`;
}

/** What a walk finds wrong is an answer that says so. */
function explained<T>(walk: () => T): T {
  try {
    return walk();
  } catch (thrown) {
    if (!(thrown instanceof TypedError)) throw thrown;
    throw new ApiError("InternalError", thrown.message, { cause: thrown });
  }
}

/** What is there already and untracked belongs to nobody in particular, so that applying other values conflicts. */
function managersBefore(live: JsonObject, write: FieldWrite): Managers {
  try {
    return updated(emptyObject(write), live, new Map(), { ...write, manager: beforeFirstApply });
  } catch (thrown) {
    if (!(thrown instanceof TypedError)) throw thrown;
    const why = `failed to convert new object (${showObject(live)}) to smd typed: ${thrown.message}`;
    throw new TypedError(`failed to create manager for existing fields: ${why}`);
  }
}

interface Applied {
  readonly object: JsonObject;
  readonly managers: Managers;
}

/** Applies; a client that did so on its own side before takes over what it owned there. */
function migrated(live: VersionedObject, configuration: JsonObject, managers: Managers, write: ApplyWrite): Applied {
  try {
    return applied(live, configuration, managers, write);
  } catch (thrown) {
    if (!(thrown instanceof ConflictsError)) throw thrown;
    const conflicts = remainingConflicts(write, live, thrown.conflicts);
    if (conflicts.length > 0) throw conflictError(conflicts);
    return applied(live, configuration, managers, { ...write, force: true });
  }
}

function applied(live: VersionedObject, configuration: JsonObject, managers: Managers, write: ApplyWrite): Applied {
  const { versions, apiVersion, now, force } = write;
  const schema = knownSchema(versions, apiVersion);
  const wrong = problemsOf(schema, configuration, { duplicates: false });
  // The reference answers 500, for what is the client's fault.
  if (wrong !== undefined) {
    throw badRequest(`failed to create typed patch object (${showObject(configuration)}): ${wrong}`);
  }
  const stale = problemsOf(schema, live.object, { duplicates: true });
  if (stale !== undefined) {
    throw new ApiError("InternalError", `failed to create typed live object (${showObject(live.object)}): ${stale}`);
  }
  const current = currentManagers(write, live, managers);
  const key = { ...keyOf(write), operation: "Apply" as const };
  const id = managerId(key);
  const last = current.get(id);
  const own = ownerAfter(last, {
    ...key,
    time: managers.get(id)?.time,
    set: filtered(fieldsOf(schema, configuration), write.ignored(apiVersion)),
    entry: undefined,
  });
  const claimed = new Map(current).set(id, own);
  const merged = { apiVersion, object: merge(schema, live.object, configuration) };
  const next = prune(write, merged, claimed, { last, now: own });
  const left = takeOver(claimed, comparisons(write, { live, next }), { own: id, force });
  const changed = next.object !== live.object && !sameTree(next.object, live.object);
  return {
    object: changed ? next.object : live.object,
    managers: withOwnStripped(left, id, changed ? now : undefined),
  };
}

/** The applier's new entry; the one it had where it says the same. */
function ownerAfter(last: Owner | undefined, next: Owner): Owner {
  const { set } = next;
  const same =
    last !== undefined && last.apiVersion === next.apiVersion && equalSets(last.set, difference(set, neverOwned));
  return same ? last : { ...next, set: sorted(set) };
}

/** The applier owns nothing that nobody owns; the time of its entry is that of the last change of the object. */
function withOwnStripped(managers: Managers, id: string, now: string | undefined): Managers {
  const own = managers.get(id);
  if (own === undefined) return managers;
  const stripped = withSet(own, difference(own.set, neverOwned));
  const after = new Map(managers);
  if (isEmpty(stripped.set)) after.delete(id);
  else after.set(id, now === undefined ? stripped : at(stripped, now));
  return after;
}
