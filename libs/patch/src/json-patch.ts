import { maxUnknown, pathText, setOwn } from "@orch/schema/decode.js";
import { isObject } from "@orch/schema/descriptor.js";
import { equalJson } from "@orch/schema/equal.js";
import { type ApiError, patchRejected, tooLarge } from "@orch/status/api-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { isTooDeep, maxDepth } from "./depth.js";
import { indexOf, pointerTokens } from "./json-pointer.js";
import { malformedPatch } from "./malformed.js";
import { createPatchWork, type PatchWork } from "./work.js";

/** One step of a JSON patch (RFC 6902, 4), with what its `op` needs. `path` and `from` are JSON Pointers. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

const maxOperations = 10_000;
/** Bytes of JSON that the `copy` operations of one patch may add together: twice what the store takes. */
const maxCopiedBytes = 3 * 1024 * 1024;

/**
 * A parsed body as a JSON patch (rules: Patch media types).
 *
 * @throws ApiError BadRequest for what is no list of operations, RequestEntityTooLarge for more than 10,000, Invalid
 * for an operation that is none or lacks a member
 */
export function readJsonPatch(tree: unknown): readonly JsonPatchOperation[] {
  if (tree === null) return [];
  if (!Array.isArray(tree)) throw malformedPatch("array", tree);
  const texts = tree.map(textsOf);
  if (tree.length > maxOperations) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${tree.length}`);
  }
  return texts.map(operationOf);
}

/** What a patch gets wrong, for who did not send it with the request: to its sender the reference does not tell. */
export function whyRejected({ cause, message }: ApiError): string {
  return cause instanceof Error ? cause.message : message;
}

/** What operations hold beside their own members, for field validation: `[0].foo` (RFC 6902 ignores it). */
export function unknownInJsonPatch(tree: unknown): readonly string[] {
  if (!Array.isArray(tree)) return [];
  const unknown: string[] = [];
  for (const [i, operation] of tree.entries()) {
    if (!isObject(operation)) continue;
    for (const name of Object.keys(operation)) {
      if (unknown.length === maxUnknown) return unknown;
      if (!members.has(name)) unknown.push(pathText([i, name]));
    }
  }
  return unknown;
}

const members: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

/** An operation's members with their types checked; `value` is undefined where it is absent. */
interface Members {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: unknown;
}

function textsOf(operation: unknown, i: number): Members {
  if (operation === null) return { op: undefined, path: undefined, from: undefined, value: undefined };
  if (!isObject(operation)) throw malformedPatch("object", operation, `[${i}]: `);
  const text = (name: "op" | "path" | "from"): string | undefined => {
    const value = operation[name] ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    throw malformedPatch("string", value, `[${i}].${name}: `);
  };
  return { op: text("op"), path: text("path"), from: text("from"), value: operation["value"] };
}

function operationOf({ op, path, from, value }: Members, i: number): JsonPatchOperation {
  if (path === undefined) throw patchRejected(`operation ${i} has no path`);
  switch (op) {
    case "add":
    case "replace":
    case "test":
      if (value === undefined) throw patchRejected(`operation ${i} has no value`);
      return { op, path, value };
    case "remove":
      return { op, path };
    case "move":
    case "copy":
      if (from === undefined) throw patchRejected(`operation ${i} has no from`);
      return { op, path, from };
    default:
      throw patchRejected(`Unexpected kind: ${op ?? "unknown"}`);
  }
}

/**
 * The document with the patch's operations carried out in order (RFC 6902; rules: Patch media types). The document is
 * never written to, what the patch leaves alone is shared with it. The result may be any JSON value.
 *
 * As in the reference an absent member of an object passes a `test` for null and may be replaced, and negative indices
 * count from a list's end.
 *
 * @throws ApiError Invalid where an operation does not apply or a test fails, or the result is too deep ({@link
 * whyRejected}: where); RequestEntityTooLarge where copies add more than 3 MiB, or the work is out of proportion ({@link PatchWork})
 */
export function applyJsonPatch(document: unknown, patch: readonly JsonPatchOperation[]): unknown {
  const work: Work = {
    ...{ root: document, own: new Map(), copiedBytes: 0, mayBeDeeper: false },
    ...{ op: "test", steps: createPatchWork() },
  };
  for (const operation of patch) carryOut(work, operation);
  if (work.mayBeDeeper && isTooDeep(work.root)) throw patchRejected(`the result exceeds the max depth of ${maxDepth}`);
  return work.root;
}

type Container = unknown[] | Record<string, unknown>;

interface Work {
  root: unknown;
  /** Objects and lists that this patch has made, by themselves: only these are written to. */
  readonly own: Map<unknown, Container>;
  copiedBytes: number;
  /** An object or list was put somewhere: the walk that looks at all costs more than most patches. */
  mayBeDeeper: boolean;
  /** The operation under way, for what is told when it does not apply. */
  op: JsonPatchOperation["op"];
  /** Items that are moved to make or fill room, members that are compared. */
  readonly steps: PatchWork;
}

function carryOut(work: Work, operation: JsonPatchOperation): void {
  work.op = operation.op;
  switch (operation.op) {
    case "add":
      add(work, operation.path, operation.value);
      break;
    case "remove":
      remove(work, operation.path);
      break;
    case "replace":
      replace(work, operation.path, operation.value);
      break;
    case "move":
      move(work, operation.from, operation.path);
      break;
    case "copy":
      add(work, operation.path, copied(work, operation.from));
      break;
    case "test":
      // What is absent reads as null, as in the reference.
      // The document may have many more members than the operation names.
      if (!equalJson(valueAt(work, operation.path) ?? null, operation.value, work.steps.spend)) {
        throw patchRejected(`testing value ${operation.path} failed: test failed`);
      }
  }
}

function add(work: Work, path: string, value: unknown): void {
  const place = placeFor(work, path, value);
  if (place === undefined) work.root = value;
  else if (!Array.isArray(place.parent)) setOwn(place.parent, place.name, value);
  else {
    const { length } = place.parent;
    const index = place.name === "-" ? length : indexOf(place.name, length + 1);
    if (index === undefined) throw noIndex(work, place);
    work.steps.move(length - index);
    place.parent.splice(index, 0, value);
  }
}

/** Gives the value that stood there. */
function remove(work: Work, path: string): unknown {
  const place = placeAt(work, path);
  if (place === undefined) throw patchRejected("the whole document can not be removed");
  const key = keyOf(place.parent, place.name);
  if (key === undefined) throw Array.isArray(place.parent) ? noIndex(work, place) : noKey(work, place);
  if (Array.isArray(place.parent)) {
    work.steps.move(place.parent.length - Number(key));
    return place.parent.splice(Number(key), 1)[0];
  }
  const value = place.parent[key];
  delete place.parent[key];
  return value;
}

function replace(work: Work, path: string, value: unknown): void {
  const place = placeFor(work, path, value);
  if (place === undefined) work.root = value;
  else if (!Array.isArray(place.parent)) setOwn(place.parent, place.name, value);
  else {
    const index = indexOf(place.name, place.parent.length);
    if (index === undefined) throw noIndex(work, place);
    place.parent[index] = value;
  }
}

function move(work: Work, from: string, path: string): void {
  if (path.startsWith(`${from}/`)) throw patchRejected(`${from} can not be moved into itself`);
  if (from === "" && path === "") return;
  add(work, path, remove(work, from));
}

/** A copy of its own, since what this patch made before may stand in it. */
function copied(work: Work, from: string): unknown {
  const value = valueAt(work, from);
  if (value === undefined) throw missing(work, from);
  if (isTooDeep(value)) throw patchRejected(`${from} exceeds the max depth of ${maxDepth}`);
  const text = jsonText(value);
  work.copiedBytes += Buffer.byteLength(text);
  if (work.copiedBytes > maxCopiedBytes) {
    throw tooLarge(`The copy operations of a JSON patch may add ${maxCopiedBytes} bytes, got ${work.copiedBytes}`);
  }
  return structuredClone(value);
}

/** Where a path's last name is looked for: an object or list that may be written to. Undefined for the whole document. */
interface Place {
  readonly parent: Container;
  readonly name: string;
  readonly path: string;
}

function placeAt(work: Work, path: string): Place | undefined {
  const tokens = tokensOf(path);
  const name = tokens.at(-1);
  if (name === undefined) return undefined;
  let parent = owned(work, work.root, path);
  work.root = parent;
  for (let i = 0; i < tokens.length - 1; i++) {
    const key = keyOf(parent, tokens[i] ?? "");
    if (key === undefined) throw missing(work, path);
    const inner = owned(work, memberOf(parent, key), path);
    if (Array.isArray(parent)) parent[Number(key)] = inner;
    else setOwn(parent, key, inner);
    parent = inner;
  }
  return { parent, name, path };
}

/** Where a value is to be put. */
function placeFor(work: Work, path: string, value: unknown): Place | undefined {
  if (typeof value === "object" && value !== null) work.mayBeDeeper = true;
  return placeAt(work, path);
}

/** The object or list to write to in place of a given one: copied once in a patch, however many operations meet it. */
function owned(work: Work, value: unknown, path: string): Container {
  const known = work.own.get(value);
  if (known !== undefined) return known;
  if (!Array.isArray(value) && !isObject(value)) throw missing(work, path);
  const copy: Container = Array.isArray(value) ? [...value] : { ...value };
  work.own.set(copy, copy);
  return copy;
}

/** The value at a path; undefined where only the last name of it is absent from an object. */
function valueAt(work: Work, path: string): unknown {
  const tokens = tokensOf(path);
  let value = work.root;
  for (const [i, token] of tokens.entries()) {
    if (!Array.isArray(value) && !isObject(value)) throw missing(work, path);
    const key = keyOf(value, token);
    if (key !== undefined) value = memberOf(value, key);
    else if (Array.isArray(value) || i < tokens.length - 1) throw missing(work, path);
    else return undefined;
  }
  return value;
}

/** The key under which an existing member stands; undefined where there is none. */
function keyOf(container: readonly unknown[] | Readonly<Record<string, unknown>>, token: string): string | undefined {
  if (Array.isArray(container)) return indexOf(token, container.length)?.toString();
  return Object.hasOwn(container, token) ? token : undefined;
}

function memberOf(container: readonly unknown[] | Readonly<Record<string, unknown>>, key: string): unknown {
  return isObject(container) ? container[key] : container[Number(key)];
}

function tokensOf(path: string): readonly string[] {
  const tokens = pointerTokens(path);
  if (tokens === undefined) throw patchRejected(`${JSON.stringify(path)} is no JSON Pointer`);
  return tokens;
}

function missing({ op }: Work, path: string): Error {
  return patchRejected(`${lacks[op]}${path}: missing value`);
}

const lacks: Readonly<Record<JsonPatchOperation["op"], string>> = {
  add: "add operation does not apply: doc is missing path: ",
  remove: "remove operation does not apply: doc is missing path: ",
  replace: "replace operation does not apply: doc is missing path: ",
  move: "move operation does not apply: doc is missing from path: ",
  copy: "copy operation does not apply: doc is missing from path: ",
  test: "test operation does not apply: is missing path: ",
};

function noKey({ op }: Work, { name, path }: Place): Error {
  return patchRejected(`error in ${op} for path: '${path}': Unable to remove nonexistent key: ${name}: missing value`);
}

function noIndex({ op }: Work, { name, path }: Place): Error {
  return patchRejected(`error in ${op} for path: '${path}': Unable to access invalid index: ${name}`);
}
