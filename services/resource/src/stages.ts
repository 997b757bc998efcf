import type { Kind } from "@orch/api/catalog.js";
import { type ApiObject, valueAt, withMetadata } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { applyDefaults } from "@orch/schema/defaults.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { equalJson } from "@orch/schema/equal.js";
import {
  type MetaRules,
  type ObjectMeta,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "@orch/schema/object-meta.js";
import { validate, validateImmutable } from "@orch/schema/validate.js";
import { invalid } from "@orch/status/api-error.js";
import type { FieldError } from "@orch/status/field-error.js";

/** The stages of a write between decoding and the transaction (design, section 6), as functions of objects. */

/** An object as the stages work on it. */
export type Tree = ApiObject & JsonObject;

/** Defaults: the literal ones of the data, then those that depend on other fields. */
export function withDefaults(kind: Kind, object: Tree): Tree {
  const defaulted = withMetadata(applyDefaults(kind.type, object));
  return asTree(kind.behavior.setDefaults?.(defaulted) ?? defaulted);
}

/** A behavior's answer is the object it was given, changed: a tree like it. */
function asTree(object: ApiObject): Tree {
  return withMetadata({ ...object });
}

/** The object as its kind has it when it is new: status reset, generation 1 where the kind counts. */
export function preparedForCreate(kind: Kind, object: Tree): Tree {
  const { strategy, behavior } = kind;
  const reset = strategy.statusReset === "both" ? withStatus(object, undefined) : object;
  const initial = strategy.initStatus === undefined ? reset : withStatus(reset, strategy.initStatus);
  const counted = withGeneration(initial, strategy.generation.length > 0 ? 1 : undefined);
  return asTree(behavior.prepareForCreate?.(counted) ?? counted);
}

/** The new state with what clients may not change taken from the old one. */
export function preparedForUpdate(kind: Kind, object: Tree, old: Tree): Tree {
  const { strategy, behavior } = kind;
  const kept = strategy.statusReset === "never" ? object : withStatus(object, old["status"]);
  const prepared = asTree(behavior.prepareForUpdate?.(kept, old) ?? kept);
  const before = old.metadata.generation;
  const counts = strategy.generation.length > 0;
  const moved = counts && generationMoves(kind, prepared, old);
  return withGeneration(prepared, counts ? (before ?? 0) + (moved ? 1 : 0) : before);
}

function withStatus(object: Tree, status: unknown): Tree {
  const { status: _given, ...rest } = object;
  return status === undefined ? rest : { ...rest, status };
}

function withGeneration(object: Tree, generation: number | undefined): Tree {
  const { generation: _given, ...metadata } = object.metadata;
  return { ...object, metadata: generation === undefined || generation === 0 ? metadata : { ...metadata, generation } };
}

function generationMoves(kind: Kind, object: Tree, old: Tree): boolean {
  return kind.strategy.generation.some((path) => {
    if (path !== "*") return !equalJson(valueAt(object, path), valueAt(old, path));
    return !equalJson(withoutMetadata(object), withoutMetadata(old));
  });
}

function withoutMetadata(object: Tree): object {
  const { metadata: _metadata, ...rest } = object;
  return rest;
}

/** @throws ApiError Invalid with every cause */
export function checkCreate(kind: Kind, object: Tree, naming: Naming): void {
  refuse(kind, object, [
    ...validateObjectMeta(object.metadata, metaRules(kind, naming)),
    ...contentErrors(kind, object),
  ]);
}

/** @throws ApiError Invalid with every cause */
export function checkUpdate(kind: Kind, change: { readonly object: Tree; readonly old: Tree }, naming: Naming): void {
  const { object, old } = change;
  refuse(kind, object, [
    ...validateObjectMetaUpdate(object.metadata, old.metadata, metaRules(kind, naming)),
    ...contentErrors(kind, object),
    ...validateImmutable(kind.type, object, old),
    ...(kind.behavior.validateUpdate?.(object, old) ?? []),
  ]);
}

function metaRules(kind: Kind, naming: Naming): MetaRules {
  return {
    namespaced: kind.namespaced,
    nameFormat: kind.strategy.name,
    standardFinalizers: [naming.namespaceFinalizer],
  };
}

function contentErrors(kind: Kind, object: Tree): readonly FieldError[] {
  return [...validate(kind.type, object), ...(kind.behavior.validate?.(object) ?? [])];
}

function refuse(kind: Kind, object: Tree, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: kind.group, kind: kind.kind }, object.metadata.name ?? "", errors);
}

/** What the server alone sets, taken from the old object or left out (facts of metadata on update). */
export function serverFields(metadata: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const { resourceVersion: _version, generation: _generation, ...given } = metadata;
  return {
    ...given,
    ...keep("uid", metadata.uid ?? old.uid),
    ...keep("creationTimestamp", metadata.creationTimestamp ?? old.creationTimestamp),
    ...keep("deletionTimestamp", metadata.deletionTimestamp ?? old.deletionTimestamp),
    ...keep("deletionGracePeriodSeconds", metadata.deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds),
  };
}

function keep<K extends keyof ObjectMeta>(name: K, value: ObjectMeta[K]): Pick<ObjectMeta, K> | undefined {
  return value === undefined ? undefined : ({ [name]: value } as Pick<ObjectMeta, K>);
}
