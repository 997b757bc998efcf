import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";
import { difference, type FieldSet, isEmpty } from "../fields/field-set.js";
import { printJson } from "../fields/go-text.js";
import { indexed, without } from "../fields/indexed-set.js";
import { problemsOf } from "./check.js";
import { compare } from "./compare.js";
import { type FieldWrite, knownSchema, type VersionedObject } from "./field-write.js";
import { fieldsOf } from "./fields-of.js";
import { TypedError } from "./list-items.js";
import type { Conflict } from "./take-over.js";

/** What the annotations of an object may take together, in bytes. */
const annotationBytes = 262_144;

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const metadata = object["metadata"];
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  return isObject(annotations) ? annotations : undefined;
}

/** The annotation in which the client keeps its configuration, if it is the one that applies and there is one. */
function lastApplied({ manager, clientSideApply }: FieldWrite, object: JsonObject): string | undefined {
  if (clientSideApply === undefined || manager !== clientSideApply.manager) return undefined;
  const text = annotationsOf(object)?.[clientSideApply.annotation];
  return typeof text === "string" && text !== "" ? text : undefined;
}

/**
 * Of the conflicts of a client that applied on its own side before, those that stay: it owns what its annotation says
 * and the object still has (rules: Server-side apply, 11).
 */
export function remainingConflicts(
  write: FieldWrite,
  live: VersionedObject,
  conflicts: readonly Conflict[],
): readonly Conflict[] {
  const text = lastApplied(write, live.object);
  const own = text === undefined ? undefined : fieldsStillThere(write, live, text);
  if (own === undefined) return conflicts;
  const taken = indexed(own);
  return conflicts.flatMap((conflict) => {
    const fields = without(conflict.fields, taken);
    return isEmpty(fields) ? [] : [{ ...conflict, fields }];
  });
}

/** Undefined where the annotation says nothing that can be used. */
function fieldsStillThere(write: FieldWrite, live: VersionedObject, text: string): FieldSet | undefined {
  const schema = knownSchema(write.versions, write.apiVersion);
  const applied = parsed(text);
  if (applied === undefined || applied["apiVersion"] !== write.apiVersion) return undefined;
  const fits = (object: JsonObject): boolean => problemsOf(schema, object, { duplicates: false }) === undefined;
  if (!fits(applied) || !fits(live.object)) return undefined;
  try {
    const { added, modified, removed } = compare(schema, applied, live.object);
    return [modified, added, removed].reduce(difference, fieldsOf(schema, applied));
  } catch (thrown) {
    if (thrown instanceof TypedError) return undefined;
    throw thrown;
  }
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = readJson(text);
    return isObject(value) && typeof value["kind"] === "string" && value["kind"] !== "" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object with its annotation as the configuration now is, where it has one and its client applies. */
export function withLastApplied(write: FieldWrite, object: JsonObject, configuration: JsonObject): JsonObject {
  const { clientSideApply } = write;
  if (clientSideApply === undefined || lastApplied(write, object) === undefined) return object;
  const { [clientSideApply.annotation]: _, ...others } = annotationsOf(object) ?? {};
  const own = `${printJson(withoutAnnotation(configuration, clientSideApply.annotation))}\n`;
  const annotations = { ...others, [clientSideApply.annotation]: own };
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  return {
    ...object,
    metadata: { ...metadata, annotations: bytesOf(annotations) > annotationBytes ? others : annotations },
  };
}

function withoutAnnotation(configuration: JsonObject, annotation: string): JsonObject {
  const metadata = configuration["metadata"];
  if (!isObject(metadata)) return configuration;
  const { annotations, ...rest } = metadata;
  if (!isObject(annotations)) return { ...configuration, metadata: rest };
  const { [annotation]: _, ...others } = annotations;
  return { ...configuration, metadata: { ...rest, annotations: others } };
}

function bytesOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
}
