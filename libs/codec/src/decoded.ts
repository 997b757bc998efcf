import type { Floats } from "@orch/schema/floats.js";
import { type ApiError, badRequest } from "@orch/status/api-error.js";

/** The result of reading a body: its value, or why it could not be read. Nothing here throws on bad input. */
export type Decoded = Read | Unreadable;

export interface Read {
  readonly ok: true;
  readonly value: unknown;
  /**
   * Paths of keys that an object holds more than once, each once, in the order met: `data.a`,
   * `spec.containers[0].image`. The last one wins in `value`. At most {@link maxDuplicates}.
   */
  readonly duplicates: readonly string[];
  /**
   * Of YAML: each key that stood in its map already, as the reference tells it, `line 8: key "image" already set in map`.
   * At most {@link maxDuplicates}; absent if the text was no YAML.
   */
  readonly repeatedLines?: readonly string[];
  /** Absent if there are none, or if the encoding does not distinguish them from integers. */
  readonly floats?: Floats;
}

export interface Unreadable {
  readonly ok: false;
  readonly format: "json" | "yaml" | "protobuf" | "cbor";
  /** Plain text of the problem: `unexpected end of JSON input`. */
  readonly problem: string;
  /** The first bytes of the body for an error text: `{bad`, `<empty>`, hex if it is not an object. */
  readonly excerpt: string;
}

/** The deepest nesting of objects and lists; deeper bodies are refused before they cost anything. */
export const maxDepth = 512;
export const maxDuplicates = 100;
export const noDuplicates: readonly string[] = [];

const excerptBytes = 30;

export function unreadable(format: Unreadable["format"], problem: string, bytes: Buffer): Unreadable {
  return { ok: false, format, problem, excerpt: excerptOf(bytes) };
}

function excerptOf(bytes: Buffer): string {
  if (bytes.length === 0) return "<empty>";
  const head = bytes.subarray(0, excerptBytes);
  const shown = bytes[0] === 0x7b ? head.toString("utf8") : head.toString("hex");
  return bytes.length > excerptBytes ? `${shown} ...` : shown;
}

/**
 * The 400 for a body whose version and kind could not be read.
 * `the object provided is unrecognized (must be of type ConfigMap): … ({bad)`
 */
export function unrecognizedBody(kind: string, body: Unreadable): ApiError {
  const why = `${unreadableTexts[body.format]}${body.problem}`;
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${body.excerpt})`);
}

const unreadableTexts: Readonly<Record<Unreadable["format"], string>> = {
  json: "couldn't get version/kind; json parse error: ",
  yaml: "error converting YAML to JSON: ",
  protobuf: "",
  cbor: "unable to determine group/version/kind: ",
};
