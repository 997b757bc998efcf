import { complete } from "@orch/schema/complete.js";
import { decode } from "@orch/schema/decode.js";
import { applyDefaults } from "@orch/schema/defaults.js";
import type { MessageType, Type } from "@orch/schema/descriptor.js";
import { equal, equalJson } from "@orch/schema/equal.js";
import { inOrder } from "@orch/schema/error-order.js";
import { type ObjectMeta, validateObjectMeta, validateObjectMetaUpdate } from "@orch/schema/object-meta.js";
import { validate, validateImmutable } from "@orch/schema/validate.js";
import { invalid } from "@orch/status/api-error.js";
import { enoughErrors } from "@orch/status/errors-of-each.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { WriteContext } from "./behavior.js";
import type { Kind } from "./catalog.js";
import { noFeatures } from "./features.js";
import { type AnyObject, valueAt, withMetadata } from "./object.js";

/**
 * The steps of a write that depend on the kind alone, each a pure function: decode → default → prepare
 * → validate. Names, uids, times and versions are given by the caller, who knows the request.
 */
export interface DecodedObject {
  readonly object: AnyObject;
  readonly unknown: readonly string[];
}

/** Throws DecodeError. */
export function decodeObject(kind: Kind, tree: unknown): DecodedObject {
  const { value, unknown } = decode(kind.type, tree);
  return { object: withMetadata(value), unknown };
}

/** Literal defaults, then those that depend on other fields. */
export function setDefaults(kind: Kind, object: AnyObject): AnyObject {
  const filled = withMetadata(applyDefaults(kind.type, object));
  return own(kind.behavior.setDefaults?.(filled) ?? filled);
}

/**
 * An object of a version as its hub has it, in which it is validated and stored; with the hub's defaults, since its
 * readers see them.
 */
export function toHub(kind: Kind, object: AnyObject): AnyObject {
  const { hub, conversion } = kind;
  if (hub === kind) return object;
  const converted = conversion === undefined ? object : conversion.toHub(object);
  return setDefaults(hub, { ...converted, kind: hub.kind, apiVersion: hub.apiVersion });
}

/** An object of the hub as a version has it. */
export function fromHub(kind: Kind, object: AnyObject): AnyObject {
  if (kind.hub === kind) return object;
  const converted = kind.conversion === undefined ? object : kind.conversion.fromHub(object);
  return { ...converted, kind: kind.kind, apiVersion: kind.apiVersion };
}

/** An object of the hub as clients of a version read it: with what the reference always writes. */
export function asVersion(kind: Kind, object: AnyObject): AnyObject {
  return own(withMetadata(complete(kind.type, fromHub(kind, object))));
}

/** What the server decides about a new object: its status, generation, and what clients may not set. */
export function prepareForCreate(kind: Kind, written: AnyObject, context: WriteContext): AnyObject {
  const object = withoutDisabled(kind, written, { old: undefined, context });
  const { deletionTimestamp, deletionGracePeriodSeconds, selfLink, ...meta } = widened(object.metadata);
  // Of a kind that counts no generations it is the client's, as in the reference.
  const metadata = kind.strategy.generation.length > 0 ? { ...meta, generation: 1 } : meta;
  const { status, ...rest } = object;
  const kept = kind.strategy.statusReset === "both" ? (kind.strategy.initStatus ?? undefined) : status;
  const prepared: AnyObject = { ...rest, metadata, ...(kept === undefined ? {} : { status: kept }) };
  return own(kind.behavior.prepareForCreate?.(prepared, context) ?? prepared);
}

/**
 * A new state next to the stored one: status and the server's own metadata come from the stored object,
 * generation moves when the kind's named parts differ in meaning.
 */
export function prepareForUpdate(kind: Kind, written: AnyObject, old: AnyObject, context: WriteContext): AnyObject {
  const object = withoutDisabled(kind, written, { old, context });
  const { status, ...rest } = object;
  const kept = kind.strategy.statusReset === "never" ? status : old["status"];
  const given: AnyObject = {
    ...rest,
    metadata: keptMeta(object.metadata, old.metadata),
    ...(kept === undefined ? {} : { status: kept }),
  };
  const prepared = own(kind.behavior.prepareForUpdate?.(given, old, context) ?? given);
  const { generation, ...metadata } = prepared.metadata;
  const next = nextGeneration(kind, prepared, old);
  return { ...prepared, metadata: next === undefined ? metadata : { ...metadata, generation: next } };
}

function withoutDisabled(
  { behavior }: Kind,
  object: AnyObject,
  { old, context }: { readonly old: AnyObject | undefined; readonly context: WriteContext },
): AnyObject {
  const { withoutDisabled: drop } = behavior;
  return drop === undefined ? object : own(drop(object, old, context.features ?? noFeatures));
}

/** What is stored of an object that was judged: of nearly every kind all of it. */
export function keptOf({ behavior: { kept } }: Kind, object: AnyObject): AnyObject {
  return kept === undefined ? object : own(kept(object));
}

/**
 * A new state through a subresource whose body is the object itself. Without a rule of the kind's own: status and
 * metadata from the request, all else as stored.
 */
export function prepareForPart(kind: Kind, { name, object, old }: PartWrite, context: WriteContext): AnyObject {
  const part = kind.behavior.parts?.[name];
  const given = { ...object, metadata: keptMeta(object.metadata, old.metadata) };
  const prepared = part?.prepare === undefined ? withStatus(given, old) : own(part.prepare(given, old, context));
  const { generation: _given, ...metadata } = prepared.metadata;
  const { generation } = old.metadata;
  return { ...prepared, metadata: { ...metadata, ...(generation === undefined ? {} : { generation }) } };
}

/** A write through the subresource `name`. */
export interface PartWrite {
  readonly name: string;
  readonly object: AnyObject;
  readonly old: AnyObject;
}

function withStatus(object: AnyObject, old: AnyObject): AnyObject {
  const { status: _old, ...rest } = old;
  return {
    ...rest,
    metadata: object.metadata,
    ...(object["status"] === undefined ? {} : { status: object["status"] }),
  };
}

function keptMeta(meta: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const { selfLink, creationTimestamp, ...given } = widened(meta);
  const uid = given.uid ?? old.uid;
  const created = old.creationTimestamp ?? creationTimestamp;
  const deleted = old.deletionTimestamp ?? given.deletionTimestamp;
  const grace = given.deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds;
  return {
    ...given,
    ...(uid === undefined ? {} : { uid }),
    ...(created === undefined ? {} : { creationTimestamp: created }),
    ...(deleted === undefined ? {} : { deletionTimestamp: deleted }),
    ...(grace === undefined ? {} : { deletionGracePeriodSeconds: grace }),
  };
}

/** The metadata with the one field that is read and never kept. */
function widened(meta: ObjectMeta): ObjectMeta & { readonly selfLink?: unknown } {
  return meta;
}

/** The generation of a new state; undefined for kinds that have none. */
function nextGeneration(kind: Kind, object: AnyObject, old: AnyObject): number | undefined {
  const { generation } = old.metadata;
  const moved = kind.strategy.generation.some((path) => differs(kind.type, path, object, old));
  return moved ? (generation ?? 0) + 1 : generation;
}

function differs(type: MessageType, path: string, object: AnyObject, old: AnyObject): boolean {
  if (path === "*") {
    // What a custom resource keeps without knowing it counts, too.
    if (type.unknown === "keep") return !equalJson(contentOf(object), contentOf(old));
    return [...type.byName.values()].some(
      (f) =>
        f.name !== "metadata" && f.name !== "kind" && f.name !== "apiVersion" && differs(type, f.name, object, old),
    );
  }
  const at = typeAt(type, path);
  return at !== undefined && !equal(at, valueAt(object, path), valueAt(old, path));
}

function contentOf({ apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...content }: AnyObject): object {
  return content;
}

function typeAt(type: MessageType, path: string): Type | undefined {
  let found: Type | undefined = type;
  for (const step of path.split(".")) found = found?.kind === "message" ? found.byName.get(step)?.type : undefined;
  return found;
}

/**
 * Everything wrong with a new object that came in the version `requested`; the object is the hub's, defaulted and
 * prepared, as in the steps below.
 */
export function validateCreate(requested: Kind, object: AnyObject): readonly FieldError[] {
  const { hub } = requested;
  const first = hub.behavior.validateFirst?.(object) ?? [];
  if (first.length > 0) return first;
  const fields = validate(hub.type, object);
  return [
    ...validateObjectMeta(object.metadata, hub.metaRules),
    ...validateFields(hub, object, fields),
    ...(hub.behavior.validateCreate?.(object, requested.version) ?? []),
    ...(requested.behavior.validateRequest?.(object, undefined) ?? []),
  ];
}

/** Everything wrong with a new state of an object. */
export function validateUpdate(requested: Kind, object: AnyObject, old: AnyObject): readonly FieldError[] {
  const { hub } = requested;
  const unversioned = !hub.strategy.unconditionalUpdate && (object.metadata.resourceVersion ?? "") === "";
  const first = hub.behavior.validateFirst?.(object) ?? [];
  if (first.length > 0) return first;
  const errors = validateFields(hub, object, validate(hub.type, object, { old }));
  return [
    ...(hub.strategy.judgedTwice ? [...validateObjectMeta(object.metadata, hub.metaRules), ...errors] : []),
    ...(unversioned ? [fieldError.invalid("metadata.resourceVersion", "", "must be specified for an update")] : []),
    ...validateObjectMetaUpdate(object.metadata, old.metadata, hub.metaRules),
    ...errors,
    ...validateImmutable(hub.type, object, old),
    ...(hub.behavior.validateUpdate?.(object, old, requested.version) ?? []),
    ...(requested.behavior.validateRequest?.(object, old) ?? []),
  ];
}

/** Everything wrong with an object prepared by {@link prepareForPart}. */
export function validatePart(requested: Kind, { name, object, old }: PartWrite): readonly FieldError[] {
  const { hub } = requested;
  const part = hub.behavior.parts?.[name];
  return [
    ...validateObjectMetaUpdate(object.metadata, old.metadata, hub.metaRules),
    ...(part?.whole === true ? validateFields(hub, object, validate(hub.type, object, { old })) : []),
    ...(part?.validate?.(object, old) ?? []),
    ...(requested.behavior.validateRequest?.(object, old) ?? []),
  ];
}

/** Everything wrong with an object of a kind that is never stored, as its hub has it: it needs no name. */
export function validateVirtual(kind: Kind, object: AnyObject): readonly FieldError[] {
  return validateFields(kind, object, validate(kind.type, object));
}

/** What a review asks, as its hub has it. The reference names no kind in this error. @throws ApiError Invalid */
export function askedByReview(kind: Kind, given: AnyObject): AnyObject {
  const object = toHub(kind, given);
  const errors = validateVirtual(kind.hub, object);
  if (errors.length > 0) throw invalid({ group: kind.group, kind: "" }, "", errors);
  return object;
}

/** The rules of the type and those of the kind; of an object that breaks very many of the first, those alone. */
function validateFields(kind: Kind, object: AnyObject, errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length >= enoughErrors) return errors;
  const found = [...errors, ...(kind.behavior.validate?.(object, errors) ?? [])];
  return [...ordered(kind, found), ...(kind.behavior.validateLast?.(object) ?? [])];
}

/** As the kind's types say which field is judged before which. */
function ordered(kind: Kind, errors: readonly FieldError[]): readonly FieldError[] {
  return kind.custom === undefined ? inOrder(kind.type, errors) : errors;
}

/** The values that field selectors see in a hub's object: texts, with absent numbers and flags as their zero. */
export function selectableFields(kind: Kind, object: AnyObject): Readonly<Record<string, string>> {
  const { name = "", namespace = "" } = object.metadata;
  const values: Record<string, string> = { "metadata.name": name, "metadata.namespace": namespace };
  for (const path of selectablePaths(kind)) values[path] = textAt(kind, path, object);
  return { ...values, ...kind.behavior.selectableFields?.(object) };
}

/** The fields of its own by which objects of a kind can be selected; of a custom resource those of all its versions. */
export function selectablePaths({ custom, hub }: Kind): readonly string[] {
  return custom?.selectedBy ?? hub.fieldSelectors.fields;
}

function textAt({ type, custom }: Kind, path: string, object: AnyObject): string {
  const value = valueAt(object, path);
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  // What a custom resource leaves out has no zero.
  if (custom !== undefined) return "";
  switch (typeAt(type, path)?.kind) {
    case "bool":
      return "false";
    case "int32":
    case "int64":
      return "0";
    default:
      return "";
  }
}

/** An object that a kind's function gave back is of the kind that was put in. */
function own(object: { readonly metadata: ObjectMeta }): AnyObject {
  return object as AnyObject;
}
