import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { resetFields } from "@orch/api/reset-fields.js";
import { asVersion, decodeObject, toHub } from "@orch/api/writes.js";
import { applyConfiguration } from "@orch/patch/apply/apply-configuration.js";
import type { FieldVersions, FieldWrite } from "@orch/patch/apply/field-write.js";
import { keepTimes } from "@orch/patch/apply/keep-times.js";
import { trackUpdate as trackFields } from "@orch/patch/apply/track-update.js";
import { validateManagedFields } from "@orch/patch/apply/validate-managed-fields.js";
import { type FieldSet, fieldSet } from "@orch/patch/fields/field-set.js";
import type { WriteOptions } from "@orch/render/write-options.js";
import { complete } from "@orch/schema/complete.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { equalJson } from "@orch/schema/equal.js";
import { isPrintable, managerLength, validateManager } from "@orch/schema/object-meta.js";
import { fieldError } from "@orch/status/field-error.js";
import { convertFields } from "../conversions.js";
import type { Draft } from "../draft.js";
import type { PatchOptions } from "../options.js";
import { refuseInvalid } from "../refuse.js";
import type { Surface } from "../surface.js";
import { contextOf, type Write } from "../write.js";

/** The wanted state with its managedFields: what differs from the live one is the writer's (rules: Server-side apply, 3). */
export function trackUpdate({ write, surface, live, object, options }: Draft): AnyObject {
  refuseForged(write, object, live);
  const wanted = complete(surface.kind.type, object);
  const { managedFields: _given, ...metadata } = object.metadata;
  const managedFields = trackFields(live, wanted, fieldWrite(write, surface, options));
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

/** Entries that a client sends are held to the form that ours have. @throws ApiError Invalid */
function refuseForged({ kind, request }: Write, object: AnyObject, live: AnyObject | undefined): void {
  const sent = object.metadata.managedFields ?? [];
  const isReset = sent.length === 1 && Object.keys(sent[0] ?? {}).length === 0;
  if (sent.length === 0 || isReset || request.subresource !== "") return;
  if (equalJson(sent, live?.metadata.managedFields)) return;
  const errors = sent.flatMap((entry, i) => {
    const wrong = validateManager(entry, i);
    if (wrong.length > 0) return wrong;
    const { apiVersion } = entry;
    if (typeof apiVersion === "string" && apiVersion.split("/").length > 2) {
      return [fieldError.invalid(`metadata.managedFields[${i}].apiVersion`, apiVersion, "must be a version")];
    }
    const unreadable = unreadableManager(entry);
    if (unreadable === undefined) return [];
    return [fieldError.invalid(`metadata.managedFields[${i}]`, entry["fieldsV1"] ?? "", unreadable)];
  });
  refuseInvalid(kind, object, errors);
}

/** Why an entry of managedFields stands for nothing; undefined where it says whose fields there are. */
export function unreadableManager(entry: JsonObject): string | undefined {
  return validateManagedFields([entry]) ?? unknownElement(entry["fieldsV1"]);
}

/** A field, a key, a value, an index, or the path itself: whatever else would silently stand for nothing. */
function unknownElement(fields: unknown): string | undefined {
  if (!isObject(fields)) return undefined;
  for (const [element, below] of Object.entries(fields)) {
    if (element !== "." && !/^[fkvi]:/.test(element)) return `unknown path element ${JSON.stringify(element)}`;
    const deeper = unknownElement(below);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

interface Application {
  readonly live: AnyObject | undefined;
  readonly configuration: JsonObject;
  readonly options: PatchOptions;
}

/** What a configuration makes of the live state; that itself where it says nothing new. @throws ApiError */
export function applyFields(write: Write, surface: Surface, { live, configuration, options }: Application): JsonObject {
  const { force } = options;
  return applyConfiguration(live, configuration, { ...fieldWrite(write, surface, options), force });
}

/** The old state where a new one differs from it by nothing but times of managedFields: that is no change. */
export function unlessOnlyTimes(old: AnyObject, next: AnyObject): AnyObject {
  const { resourceVersion } = old.metadata;
  // A body need not say of which kind and version it is.
  const { apiVersion, kind } = old;
  const wanted = { ...next, apiVersion, kind, metadata: { ...next.metadata, resourceVersion } };
  return keepTimes(old, wanted) === wanted ? next : old;
}

function fieldWrite(write: Write, surface: Surface, { fieldManager }: WriteOptions): FieldWrite {
  const { kind } = surface;
  return {
    versions: versionsOf(write, kind),
    kind: { group: kind.group, kind: kind.kind },
    apiVersion: kind.apiVersion,
    subresource: write.request.subresource,
    manager: managerOf(write, fieldManager),
    now: contextOf(write).now,
    clientSideApply: write.deps.naming.clientSideApply,
    ignored: () => ignoredFields(kind, write.request.subresource),
  };
}

/** Who owns what a write changes. */
export function managerOf({ request: { userAgent } }: Pick<Write, "request">, fieldManager: string): string {
  return fieldManager === "" ? agentName(userAgent) : fieldManager;
}

/** `kubectl/v1.32 (linux)` → `kubectl` (rules: Server-side apply, 2). */
function agentName(userAgent: string): string {
  let name = "";
  for (const character of userAgent.split("/")[0] ?? "") {
    if (!isPrintable(character)) continue;
    if (Buffer.byteLength(name + character) > managerLength) break;
    name += character;
  }
  return name === "" ? "unknown" : name;
}

/** The versions of an object's kind; those of its Scale stand for themselves. */
function versionsOf(write: Write, kind: Kind): FieldVersions {
  const { deps } = write;
  const known = (apiVersion: string): Kind | undefined => {
    const found = deps.catalog.kind(apiVersion, kind.kind);
    return found?.stored === kind.stored ? found : undefined;
  };
  return {
    type: (apiVersion) => known(apiVersion)?.type,
    convert(object, apiVersion) {
      // A body that does not say its version is of the request's.
      const { apiVersion: given } = object;
      const from = known(typeof given === "string" && given !== "" ? given : kind.apiVersion);
      const to = known(apiVersion);
      if (from === undefined || to === undefined) throw new TypeError(`${kind.kind} has no version ${apiVersion}`);
      if (from === to) return object;
      if (to.custom !== undefined) return convertFields(write, object, { from, to });
      return asVersion(to, toHub(from, decodeObject(from, object).object));
    },
  };
}

const ignoredOf = new WeakMap<Kind, Map<string, FieldSet>>();

/** The fields that an endpoint of a kind never changes, so that nobody owns them by it. */
function ignoredFields(kind: Kind, subresource: string): FieldSet {
  const known = ignoredOf.get(kind) ?? new Map<string, FieldSet>();
  ignoredOf.set(kind, known);
  const set = known.get(subresource) ?? fieldSet(...resetFields(kind, subresource).map((path) => path.split(".")));
  known.set(subresource, set);
  return set;
}
