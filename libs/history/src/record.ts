import { deflateRawSync, inflateRawSync } from "node:zlib";
import { isObject } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";
import { applyDelta, deltaOf } from "./delta.js";

/** Who made a change, and how. Absent text is "". */
export interface Author {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly verb: string;
  readonly subresource: string;
  readonly user: string;
  /** As managedFields name it. */
  readonly manager: string;
  readonly userAgent: string;
  readonly auditId: string;
}

/** What is kept of one change of an object: who made it, and what stood there before. */
export interface ChangeRecord {
  readonly author: Author;
  /** The revision of the state that was changed; 0 for a creation. */
  readonly from: number;
  /** Of what was deleted; of other changes it is not told. */
  readonly deleted?: DeletedIdentity | undefined;
  readonly before: Before;
}

/** Who it was that was deleted. Absent text is "". */
export interface DeletedIdentity {
  readonly uid: string;
  readonly creationTimestamp: string;
}

export type Before =
  /** There was no object. */
  | { readonly type: "nothing" }
  /** To be made of the state after the change. */
  | { readonly type: "delta"; readonly bytes: Buffer; readonly deflated: boolean }
  | { readonly type: "whole"; readonly bytes: Buffer; readonly deflated: boolean }
  /** It was too large to be kept. */
  | { readonly type: "lost" };

/** A name of whoever is longer is cut: everything in a record is bounded. */
const longestText = 256;
/** A text from this size on is stored deflated. */
const deflatedFrom = 4096;
/** A change and its record fit in one request of etcd (1.5 MiB): what is over that is not kept. */
const mostBytes = 1_400 * 1024;
const formatVersion = 1;

/** The states of a change, as they are stored. */
export interface ChangedStates {
  /** Undefined for a creation. */
  readonly before: { readonly value: Buffer; readonly revision: number } | undefined;
  /** Undefined for a deletion. */
  readonly after: Buffer | undefined;
  /** Of a deletion. */
  readonly deleted?: DeletedIdentity | undefined;
}

/**
 * ```
 * version:1  {"t":time,"v":verb,"s":subresource,"u":user,"m":manager,"a":agent,"i":audit id,"f":from,"b":what follows}  \n  bytes
 * ```
 *
 * A deletion has "o", the uid of what was deleted, and "c", its creationTimestamp.
 */
export function encodeRecord(author: Author, { before, after, deleted }: ChangedStates): Buffer {
  const kept = keptOf(before?.value, after);
  // What is undefined is left out of JSON.
  const head = {
    t: author.time,
    v: author.verb,
    s: unlessEmpty(author.subresource),
    u: cut(author.user),
    m: unlessEmpty(author.manager),
    a: unlessEmpty(author.userAgent),
    i: unlessEmpty(author.auditId),
    o: deleted && cut(deleted.uid),
    c: deleted && cut(deleted.creationTimestamp),
    f: before?.revision ?? 0,
    b: kept.form,
  };
  const text = `${String.fromCharCode(formatVersion)}${JSON.stringify(head)}\n`;
  const size = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(size + kept.bytes.length);
  bytes.write(text);
  kept.bytes.copy(bytes, size);
  return bytes;
}

/** n: nothing, d: delta, w: whole, D and W: deflated, x: lost. */
type Form = "n" | "d" | "w" | "D" | "W" | "x";

interface Kept {
  readonly form: Form;
  readonly bytes: Buffer;
}

const none = Buffer.alloc(0);

function keptOf(before: Buffer | undefined, after: Buffer | undefined): Kept {
  if (before === undefined) return { form: "n", bytes: none };
  const kept = smaller(
    after === undefined ? { form: "w", bytes: before } : { form: "d", bytes: deltaOf(after, before) },
  );
  return kept.bytes.length + (after?.length ?? 0) > mostBytes ? { form: "x", bytes: none } : kept;
}

function smaller({ form, bytes }: { readonly form: "w" | "d"; readonly bytes: Buffer }): Kept {
  if (bytes.length < deflatedFrom) return { form, bytes };
  const deflated = deflateRawSync(bytes, { level: 1 });
  return deflated.length < bytes.length ? { form: form === "w" ? "W" : "D", bytes: deflated } : { form, bytes };
}

function unlessEmpty(text: string): string | undefined {
  return text === "" ? undefined : cut(text);
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
}

/** No state is larger; what says that it is was not made here. */
const inflateLimit = { maxOutputLength: 8 << 20 };

/** Undefined where it is none. */
export function decodeRecord(bytes: Buffer): ChangeRecord | undefined {
  if (bytes[0] !== formatVersion) return undefined;
  const end = bytes.indexOf(0x0a);
  if (end < 0) return undefined;
  const head: unknown = readJson(bytes.toString("utf8", 1, end));
  if (!isObject(head)) return undefined;
  const { t, v, s, u, m, a, i, f, b, o, c } = head;
  const before = beforeOf(b, bytes.subarray(end + 1));
  if (before === undefined || !isCount(t) || !isCount(f)) return undefined;
  const texts = { verb: v, subresource: s, user: u, manager: m, userAgent: a, auditId: i };
  const deleted = o === undefined ? undefined : { uid: textOf(o), creationTimestamp: textOf(c) };
  return { author: { time: t, ...strings(texts) }, from: f, before, ...(deleted === undefined ? {} : { deleted }) };
}

type Texts = Omit<Author, "time">;

function strings(texts: { readonly [Name in keyof Texts]: unknown }): Texts {
  return {
    verb: textOf(texts.verb),
    subresource: textOf(texts.subresource),
    user: textOf(texts.user),
    manager: textOf(texts.manager),
    userAgent: textOf(texts.userAgent),
    auditId: textOf(texts.auditId),
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value);

function beforeOf(form: unknown, bytes: Buffer): Before | undefined {
  switch (form) {
    case "n":
      return { type: "nothing" };
    case "x":
      return { type: "lost" };
    case "d":
    case "D":
      return { type: "delta", bytes, deflated: form === "D" };
    case "w":
    case "W":
      return { type: "whole", bytes, deflated: form === "W" };
    default:
      return undefined;
  }
}

/** The state before a change, of the one after it; undefined where it is lost. */
export function stateBefore(before: Before, after: Buffer | undefined): Buffer | undefined {
  if (before.type !== "whole" && before.type !== "delta") return undefined;
  try {
    const bytes = before.deflated ? inflateRawSync(before.bytes, inflateLimit) : before.bytes;
    if (before.type === "whole") return bytes;
    return after === undefined ? undefined : applyDelta(after, bytes);
  } catch {
    return undefined;
  }
}
