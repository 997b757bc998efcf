import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { type DecodedObject, decodeObject } from "@orch/api/writes.js";
import { type Read, unrecognizedBody } from "@orch/codec/decoded.js";
import { parseJson } from "@orch/codec/json.js";
import { createNegotiator, objectOffers } from "@orch/codec/negotiate.js";
import { parseYaml } from "@orch/codec/yaml.js";
import { DecodeError } from "@orch/schema/decode.js";
import { isObject } from "@orch/schema/descriptor.js";
import { type ApiError, badRequest } from "@orch/status/api-error.js";
import type { WriteOptions } from "./options.js";

export interface ObjectBody {
  readonly object: AnyObject;
  /** Fields that were dropped or stood twice, for `Warning` headers. */
  readonly warnings: readonly string[];
}

const negotiator = createNegotiator(objectOffers);

/** A request body as a tree, whatever its encoding. @throws ApiError UnsupportedMediaType, BadRequest */
export function readTree(body: Buffer, contentType: string, expected: string): Read {
  const { format } = negotiator.contentType(contentType);
  const read = format === "yaml" ? parseYaml(body) : parseJson(body);
  if (!read.ok) throw unrecognizedBody(expected, read);
  return read;
}

/**
 * The object in a request body, checked against its kind's type and without unknown fields
 * (spec 1: Behavior rules, 3). @throws ApiError BadRequest, UnsupportedMediaType
 */
export function readObject(
  kind: Kind,
  body: { readonly bytes: Buffer; readonly contentType: string },
  validation: WriteOptions["fieldValidation"],
): ObjectBody {
  const read = readTree(body.bytes, body.contentType, kind.kind);
  checkType(kind, read.value);
  const { object, unknown } = decoded(kind, read.value);
  const problems =
    validation === "Ignore"
      ? []
      : [...unknown.map((p) => `unknown field ${JSON.stringify(p)}`), ...repeated(read, unknown)];
  if (validation === "Strict" && problems.length > 0) {
    throw cannotBeHandled(kind, `strict decoding error: ${problems.join(", ")}`);
  }
  return { object, warnings: problems };
}

/** Keys that stood twice, but for those inside of fields that are unknown as a whole. */
function repeated(read: Read, unknown: readonly string[]): string[] {
  const isUnknown = (path: string): boolean =>
    unknown.some((u) => path === u || path.startsWith(`${u}.`) || path.startsWith(`${u}[`));
  return read.duplicates.filter((path) => !isUnknown(path)).map((path) => `duplicate field ${JSON.stringify(path)}`);
}

function decoded(kind: Kind, tree: unknown): DecodedObject {
  try {
    return decodeObject(kind, tree);
  } catch (error) {
    if (error instanceof DecodeError) throw cannotBeHandled(kind, error.message);
    throw error;
  }
}

/** An absent kind or apiVersion is that of the path. */
function checkType(kind: Kind, tree: unknown): void {
  if (!isObject(tree))
    throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): it is no object`);
  const given = { kind: tree["kind"] ?? "", apiVersion: tree["apiVersion"] ?? "" };
  const fits = (value: unknown, expected: string): boolean => value === "" || value === expected;
  if (typeof given.kind !== "string" || typeof given.apiVersion !== "string") {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): kind and apiVersion must be text`,
    );
  }
  if (fits(given.kind, kind.kind) && fits(given.apiVersion, kind.apiVersion)) return;
  if (fits(given.kind, kind.kind)) {
    throw badRequest(
      `the API version in the data (${given.apiVersion}) does not match the expected API version (${kind.apiVersion})`,
    );
  }
  const version = given.apiVersion === "" ? kind.apiVersion : given.apiVersion;
  throw badRequest(`${given.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind.kind}`);
}

function cannotBeHandled(kind: Kind, why: string): ApiError {
  return badRequest(
    `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${why}`,
  );
}
