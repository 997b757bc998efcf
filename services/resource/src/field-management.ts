import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { resetFields } from "@orch/api/reset-fields.js";
import { asVersion, decodeObject, toHub } from "@orch/api/writes.js";
import {
  applyConfiguration,
  type FieldVersions,
  type FieldWrite,
  trackUpdate as trackFields,
} from "@orch/patch/apply/managed-fields.js";
import { type FieldSet, fieldSet } from "@orch/patch/fields/field-set.js";
import { complete } from "@orch/schema/complete.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { isPrintable, managerLength } from "@orch/schema/object-meta.js";
import type { PatchOptions, WriteOptions } from "./options.js";
import type { Surface } from "./surface.js";
import { contextOf, type Write } from "./write.js";

interface Update {
  /** As clients see it; undefined for an object that is made. */
  readonly live: AnyObject | undefined;
  /** The state that the client wants, in the request's version and defaulted. */
  readonly object: AnyObject;
  readonly options: WriteOptions;
}

/** The wanted state with its managedFields: what differs from the live one is the writer's (spec 1: Server-side apply, 3). */
export function trackUpdate(write: Write, surface: Surface, { live, object, options }: Update): AnyObject {
  const wanted = complete(surface.kind.type, object);
  const { managedFields: _given, ...metadata } = object.metadata;
  const managedFields = trackFields(live, wanted, fieldWrite(write, surface, options));
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
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

function fieldWrite(write: Write, surface: Surface, { fieldManager }: WriteOptions): FieldWrite {
  const { kind } = surface;
  return {
    versions: versionsOf(write, kind),
    kind: { group: kind.group, kind: kind.kind },
    apiVersion: kind.apiVersion,
    subresource: write.request.subresource,
    manager: fieldManager === "" ? agentName(write.request.userAgent) : fieldManager,
    now: contextOf(write).now,
    clientSideApply: write.deps.naming.clientSideApply,
    ignored: () => ignoredFields(kind, write.request.subresource),
  };
}

/** `kubectl/v1.32 (linux)` → `kubectl` (spec 1: Server-side apply, 2). */
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
function versionsOf({ deps }: Write, kind: Kind): FieldVersions {
  const known = (apiVersion: string): Kind | undefined => {
    const found = deps.catalog.kind(apiVersion, kind.kind);
    return found?.hub === kind.hub ? found : undefined;
  };
  return {
    type: (apiVersion) => known(apiVersion)?.type,
    convert(object, apiVersion) {
      const [from, to] = [known(String(object["apiVersion"])), known(apiVersion)];
      if (from === undefined || to === undefined) throw new TypeError(`${kind.kind} has no version ${apiVersion}`);
      return from === to ? object : asVersion(to, toHub(from, decodeObject(from, object).object));
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
