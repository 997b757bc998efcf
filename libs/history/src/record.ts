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
  readonly before: Before;
}

export type Before =
  /** There was no object. */
  | { readonly type: "nothing" }
  /** To be made of the state after the change. */
  | { readonly type: "delta"; readonly delta: Buffer }
  | { readonly type: "whole"; readonly state: Buffer }
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
}

/**
 * ```
 * version:1  {"t":time,"v":verb,"s":subresource,"u":user,"m":manager,"a":agent,"i":audit id,"f":from,"b":what follows}  \n  bytes
 * ```
 */
export function encodeRecord(author: Author, { before, after }: ChangedStates): Buffer {
  const kept = keptOf(before?.value, after);
  const head = {
    t: author.time,
    v: author.verb,
    ...(author.subresource === "" ? {} : { s: cut(author.subresource) }),
    u: cut(author.user),
    ...(author.manager === "" ? {} : { m: cut(author.manager) }),
    ...(author.userAgent === "" ? {} : { a: cut(author.userAgent) }),
    ...(author.auditId === "" ? {} : { i: cut(author.auditId) }),
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
  const { t, v, s, u, m, a, i, f, b } = head;
  const before = beforeOf(b, bytes.subarray(end + 1));
  if (before === undefined || !isCount(t) || !isCount(f)) return undefined;
  const texts = { verb: v, subresource: s, user: u, manager: m, userAgent: a, auditId: i };
  return { author: { time: t, ...strings(texts) }, from: f, before };
}

type Texts = Omit<Author, "time">;

function strings(texts: { readonly [Name in keyof Texts]: unknown }): Texts {
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return {
    verb: text(texts.verb),
    subresource: text(texts.subresource),
    user: text(texts.user),
    manager: text(texts.manager),
    userAgent: text(texts.userAgent),
    auditId: text(texts.auditId),
  };
}

const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value);

function beforeOf(form: unknown, bytes: Buffer): Before | undefined {
  switch (form) {
    case "n":
      return { type: "nothing" };
    case "x":
      return { type: "lost" };
    case "d":
      return { type: "delta", delta: bytes };
    case "w":
      return { type: "whole", state: bytes };
    case "D":
    case "W": {
      const inflated = inflate(bytes);
      if (inflated === undefined) return undefined;
      return form === "D" ? { type: "delta", delta: inflated } : { type: "whole", state: inflated };
    }
    default:
      return undefined;
  }
}

function inflate(bytes: Buffer): Buffer | undefined {
  try {
    return inflateRawSync(bytes, inflateLimit);
  } catch {
    return undefined;
  }
}

/** The state before a change, of the one after it; undefined where it is lost. */
export function stateBefore(before: Before, after: Buffer | undefined): Buffer | undefined {
  if (before.type === "whole") return before.state;
  if (before.type !== "delta" || after === undefined) return undefined;
  try {
    return applyDelta(after, before.delta);
  } catch {
    return undefined;
  }
}
