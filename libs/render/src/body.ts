import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { decodeObject } from "@orch/api/writes.js";
import { parseCbor } from "@orch/codec/cbor/parse.js";
import { type Decoded, type Read, unrecognizedBody } from "@orch/codec/decoded.js";
import { parseJson } from "@orch/codec/json.js";
import type { Negotiator, ObjectFormat } from "@orch/codec/negotiate.js";
import { parseProtobuf } from "@orch/codec/protobuf/envelope.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { DecodeError, extendedPath } from "@orch/schema/decode.js";
import { isObject, type JsonObject, type MessageType } from "@orch/schema/descriptor.js";
import { refuseFloats } from "@orch/schema/floats.js";
import { type ApiError, badRequest, invalid } from "@orch/status/api-error.js";
import { fieldError } from "@orch/status/field-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { withOwnersOnce } from "./owner-references.js";
import type { WriteOptions } from "./write-options.js";

export interface ObjectBody {
  readonly object: AnyObject;
  /** Fields that were dropped or stood twice, for `Warning` headers. */
  readonly warnings: readonly string[];
}

/** A request's body, and what it is meant to be. */
export interface Body {
  readonly bytes: Buffer;
  readonly contentType: string;
}

export interface Expected {
  readonly kind: string;
  readonly type: MessageType;
  /** Looks at the kind and apiVersion that a Protobuf body names before its object is read. */
  readonly check?: (typeMeta: JsonObject) => void;
}

/**
 * A request body as a tree, whatever its encoding.
 * @throws ApiError UnsupportedMediaType, BadRequest; DecodeError for Protobuf of another type
 */
export function readTree(formats: Negotiator<ObjectFormat>, { bytes, contentType }: Body, expected: Expected): Read {
  const read = parse(formats.contentType(contentType).format, bytes, expected);
  if (!read.ok) throw unrecognizedBody(expected.kind, read);
  return read;
}

function parse(format: ObjectFormat, bytes: Buffer, { type, check }: Expected): Decoded {
  switch (format) {
    case "json":
      return parseJson(bytes);
    case "yaml":
      return parseYaml(bytes);
    case "cbor":
      return parseCbor(bytes);
    case "protobuf":
      return parseProtobuf(type, bytes, check === undefined ? {} : { check: (typeMeta) => check({ ...typeMeta }) });
  }
}

/** How a body is read that is to be an object of a kind. */
export interface Reading {
  /** The encodings of bodies. */
  readonly formats: Negotiator<ObjectFormat>;
  readonly body: Body;
  readonly validation: WriteOptions["fieldValidation"];
  /** All apiVersions that write the kind in the same way; its own alone where absent. */
  readonly versions?: readonly string[];
}

/**
 * The object in a request body, checked against its kind's type and without unknown fields
 * (rules: Behavior rules, 3). @throws ApiError BadRequest, UnsupportedMediaType
 */
export function readObjectBody(
  kind: Kind,
  { formats, body, validation, versions = [kind.apiVersion] }: Reading,
): ObjectBody {
  const { read, object, unknown } = refusing(kind, () => {
    const check = (typeMeta: JsonObject): void => checkType(kind, versions, typeMeta);
    const tree = readTree(formats, body, { kind: kind.kind, type: kind.type, check });
    checkType(kind, versions, tree.value);
    if (tree.floats !== undefined) refuseFloats(tree.floats, kind.type, tree.value);
    return { read: tree, ...decodeObject(kind, tree.value) };
  });
  const problems = validation === "Ignore" ? noProblems : problemsOf(kind, read, unknown);
  if (validation === "Strict" && problems.text !== "") {
    throw cannotBeHandled(kind, `strict decoding error: ${problems.text}`);
  }
  return withOwnersOnce({ object, warnings: problems.warnings });
}

/** What custom resources do not know is told in the order of its names, after what is repeated: metadata first. */
export function problemsOf(kind: Kind, read: ReadFields, unknown: readonly string[]): FieldProblems {
  if (kind.definition === undefined) return fieldProblems(read, unknown);
  const inMetadata = (path: string): number => (path.startsWith("metadata.") ? 0 : 1);
  const sorted = [...unknown].sort((a, b) => inMetadata(a) - inMetadata(b) || (a < b ? -1 : 1));
  const fields = new Set(unknown);
  const duplicates = read.duplicates.filter((path) => !isBelow(fields, path));
  const repeated = fieldProblems({ ...read, duplicates }, []);
  const others = fieldProblems({ value: read.value, duplicates: [] }, sorted);
  return {
    warnings: [...repeated.warnings, ...others.warnings].slice(0, maxProblems),
    text: [repeated.text, others.text].filter((text) => text !== "").join(", "),
  };
}

/** Release 1.32 names no more. */
export const maxProblems = 100;

type ReadFields = Pick<Read, "value" | "duplicates" | "repeatedLines">;

/** What is wrong with the fields of a body. */
export interface FieldProblems {
  /** One by one. */
  readonly warnings: readonly string[];
  /** All of them, for an error. */
  readonly text: string;
}

const noProblems: FieldProblems = { warnings: [], text: "" };

/**
 * Unknown and repeated fields in the order of the body; not what is repeated inside of an unknown field. Of YAML the
 * repeated ones come first, by their lines, and the others in the order of their names: its reader sorts the keys.
 */
export function fieldProblems(
  { value, duplicates, repeatedLines }: ReadFields,
  allUnknown: readonly string[],
): FieldProblems {
  const unknown = new Set(allUnknown.slice(0, maxProblems));
  const unknownText = (path: string): string => `unknown field ${JSON.stringify(path)}`;
  if (repeatedLines !== undefined) {
    const others = (unknown.size < 2 ? [...unknown] : inOrder(value, unknown, sortedKeys)).map(unknownText);
    const repeated = repeatedLines.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${repeatedLines.join("\n  ")}`];
    const warnings = [...repeatedLines, ...others].slice(0, maxProblems);
    return { warnings, text: [...repeated, ...others].join(", ") };
  }
  const repeated = new Set(duplicates.filter((path) => !isBelow(unknown, path)));
  const paths = repeated.size === 0 ? [...unknown] : inOrder(value, new Set([...unknown, ...repeated]), Object.keys);
  const warnings = paths
    .slice(0, maxProblems)
    .map((path) => (unknown.has(path) ? unknownText(path) : `duplicate field ${JSON.stringify(path)}`));
  return { warnings, text: warnings.join(", ") };
}

function isBelow(fields: ReadonlySet<string>, path: string): boolean {
  for (const field of fields) {
    if (path.startsWith(field) && [undefined, ".", "["].includes(path[field.length])) return true;
  }
  return false;
}

const sortedKeys = (object: JsonObject): readonly string[] => Object.keys(object).sort();

/** Paths of a tree in the order in which they stand there, where objects have their keys in this order. */
function inOrder(
  tree: unknown,
  wanted: ReadonlySet<string>,
  keysOf: (object: JsonObject) => readonly string[],
): string[] {
  const found: string[] = [];
  const visit = (value: unknown, at: string): void => {
    if (found.length === wanted.size) return;
    if (wanted.has(at)) found.push(at);
    if (Array.isArray(value)) value.forEach((inner, i) => void visit(inner, extendedPath(at, i)));
    else if (isObject(value)) for (const key of keysOf(value)) visit(value[key], extendedPath(at, key));
  };
  visit(tree, "");
  return found;
}

/** What the tree's type does not allow is the client's fault. */
function refusing<T>(kind: Kind, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw cannotBeHandled(kind, error.message);
    throw error;
  }
}

/** An absent kind or apiVersion is that of the path; of a custom resource both are to be named. */
function checkType(kind: Kind, versions: readonly string[], tree: unknown): void {
  if (!isObject(tree))
    throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): it is no object`);
  const [given, apiVersion] = [tree["kind"] ?? "", tree["apiVersion"] ?? ""];
  if (typeof given !== "string" || typeof apiVersion !== "string") {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): kind and apiVersion must be text`,
    );
  }
  checkTypeMeta(kind, versions, { kind: given, apiVersion, tree });
}

function checkTypeMeta(kind: Kind, versions: readonly string[], given: Named): void {
  if (kind.definition !== undefined) checkNamed(kind, given);
  if (["", kind.kind].includes(given.kind)) {
    if (["", ...versions].includes(given.apiVersion)) return;
    throw badRequest(
      `the API version in the data (${given.apiVersion}) does not match the expected API version (${kind.apiVersion})`,
    );
  }
  const version = given.apiVersion === "" ? kind.apiVersion : given.apiVersion;
  throw badRequest(`${given.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind.kind}`);
}

export interface Named {
  readonly kind: string;
  readonly apiVersion: string;
  readonly tree: JsonObject;
}

/** Characters of a body that an error shows. */
const shownBody = 1024;

/** @throws ApiError BadRequest, Invalid for a body that is no object of a custom resource's kind and version */
export function checkNamed({ group, kind, apiVersion }: Kind, given: Named): void {
  if (given.kind === "") {
    const body = jsonText(given.tree).slice(0, shownBody);
    const why = `Object 'Kind' is missing in '${body}'`;
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${body})`);
  }
  if (given.apiVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${given.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (given.kind === kind) return;
  const { metadata } = given.tree;
  const name = isObject(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : "";
  throw invalid({ group, kind: given.kind }, name, [fieldError.invalid("kind", given.kind, `must be ${kind}`)]);
}

/** The 400 for what cannot be an object of a kind, in a body or after a patch. */
export function cannotBeHandled(kind: Kind, why: string): ApiError {
  return badRequest(
    `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${why}`,
  );
}
