import { complete } from "@orch/schema/complete.js";
import type { JsonObject, MessageType } from "@orch/schema/descriptor.js";
import type { KindName } from "@orch/status/api-error.js";
import type { FieldFilter } from "../fields/field-filter.js";
import { mustFit } from "./check.js";
import { TypedError } from "./list-items.js";
import { type Schema, schemaOf } from "./schema.js";

/** The versions of one kind. */
export interface FieldVersions {
  /** The type of a version (`apps/v1`); undefined for what is not served any more. */
  type(apiVersion: string): MessageType | undefined;
  /** An object of any version of the kind, told by its `apiVersion`, as another version has it. */
  convert(object: JsonObject, apiVersion: string): JsonObject;
}

/** The client that applies on its own side, and the annotation in which it keeps what it applied last. */
export interface ClientSideApply {
  readonly manager: string;
  readonly annotation: string;
}

/** A write to one object, as field management sees it (rules: Server-side apply). */
export interface FieldWrite {
  readonly versions: FieldVersions;
  /** Group and kind, for texts. */
  readonly kind: KindName;
  /** Of the request. */
  readonly apiVersion: string;
  /** `""` for the object itself. */
  readonly subresource: string;
  /** Told by `fieldManager` or inferred from `User-Agent`; `unknown` if neither. */
  readonly manager: string;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  /** Fields that this endpoint never owns, by version: the main endpoint `status`, that of the status all but it. */
  readonly ignored: (apiVersion: string) => FieldFilter;
  /** Absent where there is no such client. */
  readonly clientSideApply?: ClientSideApply;
}

/** An object in a version that is known. */
export interface VersionedObject {
  readonly apiVersion: string;
  readonly object: JsonObject;
}

/** What objects of a version are; undefined for one that is not known (any more). Throws TypedError for no version. */
export function schemaIn(versions: FieldVersions, apiVersion: string): Schema | undefined {
  if (apiVersion.indexOf("/") !== apiVersion.lastIndexOf("/")) {
    throw new TypedError(`unexpected GroupVersion string: ${apiVersion}`);
  }
  const type = versions.type(apiVersion);
  return type === undefined ? undefined : schemaOf(type);
}

/** {@link schemaIn} of a version that has to be there. */
export function knownSchema(versions: FieldVersions, apiVersion: string): Schema {
  const schema = schemaIn(versions, apiVersion);
  if (schema === undefined) throw new TypedError(`no corresponding type for ${apiVersion}`);
  return schema;
}

/** The object in another version, which is known; itself where that is its own. */
export function converted(versions: FieldVersions, from: VersionedObject, apiVersion: string): VersionedObject {
  if (from.apiVersion === apiVersion) return from;
  const object = versions.convert(from.object, apiVersion);
  const type = versions.type(apiVersion);
  return { apiVersion, object: type === undefined ? object : complete(type, object) };
}

/** {@link converted}, and held to the type: there, nothing may be twice in a set. Throws TypedError. */
export function inVersion(versions: FieldVersions, from: VersionedObject, apiVersion: string): VersionedObject {
  if (from.apiVersion === apiVersion) return from;
  const to = converted(versions, from, apiVersion);
  mustFit(knownSchema(versions, apiVersion), to.object, { duplicates: false });
  return to;
}

const empties = new WeakMap<MessageType, JsonObject>();

/** What there is of an object before it is created: the fields that every object has. */
export function emptyObject({ versions, apiVersion, kind }: FieldWrite): JsonObject {
  const type = versions.type(apiVersion);
  const meta = { apiVersion, kind: kind.kind };
  if (type === undefined) return meta;
  let empty = empties.get(type);
  if (empty === undefined) {
    empty = complete(type, {});
    empties.set(type, empty);
  }
  return { ...empty, ...meta };
}
