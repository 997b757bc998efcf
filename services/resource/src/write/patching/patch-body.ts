import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { type DecodedObject, decodeObject } from "@orch/api/writes.js";
import type { Read } from "@orch/codec/decoded.js";
import { parseJson } from "@orch/codec/json.js";
import { applyJsonPatch, readJsonPatch, unknownInJsonPatch } from "@orch/patch/json-patch.js";
import { refuseFloatsInJsonPatch } from "@orch/patch/json-patch-floats.js";
import { applyMergePatch, readMergePatch } from "@orch/patch/merge-patch.js";
import { goText } from "@orch/patch/strategic/go-text.js";
import { applyStrategicMergePatch, readStrategicMergePatch } from "@orch/patch/strategic/strategic-merge-patch.js";
import { cannotBeHandled, checkNamed, maxProblems, type ObjectBody, problemsOf } from "@orch/render/body.js";
import type { WriteOptions } from "@orch/render/write-options.js";
import { DecodeError } from "@orch/schema/decode.js";
import { isObject } from "@orch/schema/descriptor.js";
import { type Floats, refuseFloats } from "@orch/schema/floats.js";
import { type ApiError, badRequest, invalid } from "@orch/status/api-error.js";
import { fieldError } from "@orch/status/field-error.js";
import { jsonText } from "@orch/status/json-text.js";
import type { Surface } from "../surface.js";
import type { Write } from "../write.js";

/** A patch that was read: what it makes of a state; undefined stands for an object that is not there. */
export type Patching = (live: AnyObject | undefined) => ObjectBody;

type Validation = WriteOptions["fieldValidation"];
type ReadPatch = (write: Write, surface: Surface, validation: Validation) => (live: AnyObject) => ObjectBody;

/** RFC 6902. @throws ApiError BadRequest, RequestEntityTooLarge */
export const readJson: ReadPatch = ({ request }, surface, validation) => {
  const read = parsed(request.body, "error decoding patch: ");
  const patch = readJsonPatch(read.value);
  const unknown = unknownInJsonPatch(read.value).map((path) => `unknown field ${JSON.stringify(path)}`);
  const repeated = [...unknown, ...repeatedFields(read)].map((problem) => `json patch ${problem}`);
  return (live) => {
    const tree = applyJsonPatch(live, patch);
    const check = ({ kind: { type } }: Surface, floats: Floats): void =>
      refuseFloatsInJsonPatch(floats, type, { operations: patch, body: read.value });
    return decoded(surface, tree, { shown: () => jsonText(tree), repeated, validation, read, check });
  };
};

/** RFC 7386. @throws ApiError BadRequest */
export const readMerge: ReadPatch = ({ request }, surface, validation) => {
  const read = parsed(request.body, "error decoding patch: ");
  const patch = readMergePatch(read.value);
  const repeated = repeatedFields(read);
  return (live) => {
    const tree = applyMergePatch(live, patch);
    const check = ({ kind: { type } }: Surface, floats: Floats): void => refuseFloats(floats, type, read.value);
    return decoded(surface, tree, { shown: () => jsonText(tree), repeated, validation, read, check });
  };
};

/** By the merge keys and directives of the type. @throws ApiError BadRequest */
export const readStrategic: ReadPatch = ({ request }, surface, validation) => {
  const read = parsed(request.body, "");
  const patch = readStrategicMergePatch(read.value);
  const repeated = repeatedFields(read);
  return (live) => {
    const patched = applyStrategicMergePatch(surface.kind.type, live, patch);
    // It is made of the type, whatever it says of its own kind.
    const tree = isObject(patched) ? { ...patched, ...typeMetaOf(surface.kind) } : patched;
    return decoded(surface, tree, { shown: () => goText(patch), repeated, validation });
  };
};

function parsed(body: Buffer, prefix: string): Read {
  const read = parseJson(body);
  if (!read.ok) throw badRequest(`${prefix}${read.problem}`);
  return read;
}

function repeatedFields({ duplicates }: Read): readonly string[] {
  return duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`);
}

interface Judging {
  /** What errors show as the value that was wrong. */
  readonly shown: () => string;
  /** Problems of the patch itself. */
  readonly repeated: readonly string[];
  readonly validation: Validation;
  /** The patch, and the look for integers in it that are written as floats; a strategic merge patch may have them. */
  readonly read?: Read;
  readonly check?: (surface: Surface, floats: Floats) => void;
}

/** The object that a patched tree is (rules: Behavior rules, 3). @throws ApiError Invalid */
function decoded(surface: Surface, tree: unknown, { shown, repeated, validation, read, check }: Judging): ObjectBody {
  const { kind } = surface;
  const refuse = (why: string): ApiError => refusedPatch(shown(), why);
  if (isObject(tree) && kind.definition !== undefined) {
    checkNamed(kind, { kind: textOf(tree["kind"]), apiVersion: textOf(tree["apiVersion"]), tree });
  }
  if (isObject(tree) && ((tree["kind"] ?? kind.kind) !== kind.kind || tree["apiVersion"] !== kind.apiVersion)) {
    const given = `${String(tree["kind"])} in version ${jsonText(tree["apiVersion"] ?? "")}`;
    throw refuse(`${given} cannot be handled as a ${kind.kind} in version ${JSON.stringify(kind.apiVersion)}`);
  }
  const floats = read?.floats;
  if (floats !== undefined) refusing(() => check?.(surface, floats), refuse);
  const { object, unknown } = decodedOr(kind, tree, refuse);
  if (validation === "Ignore") return { object, warnings: [] };
  const { warnings } = problemsOf(kind, { value: tree, duplicates: [] }, unknown);
  const problems = [...repeated, ...warnings].slice(0, maxProblems);
  if (validation === "Strict" && problems.length > 0) {
    throw cannotBeHandled(kind, `strict decoding error: ${problems.join(", ")}`);
  }
  return { object, warnings: problems };
}

function typeMetaOf({ kind, apiVersion }: Kind): { readonly kind: string; readonly apiVersion: string } {
  return { kind, apiVersion };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What a patch makes is no object of its kind. */
function refusedPatch(shown: string, why: string): ApiError {
  return invalid({ group: "", kind: "" }, "", [fieldError.invalid("patch", shown, why)]);
}

/** The object that a tree is. @throws ApiError what `refuse` makes of its problem */
export function decodedOr(kind: Kind, tree: unknown, refuse: (why: string) => ApiError): DecodedObject {
  return refusing(() => decodeObject(kind, tree), refuse);
}

function refusing<T>(read: () => T, refuse: (why: string) => ApiError): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message);
    throw error;
  }
}
