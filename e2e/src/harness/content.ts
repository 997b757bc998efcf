import { createHash } from "node:crypto";
import type { ApiObject } from "@orch/client/objects.js";

/** Data that proves itself whole: a number, a text of some length made of it, and the text's digest. */
export interface Content {
  readonly n: string;
  readonly text: string;
  readonly digest: string;
}

export function contentOf(n: number, length: number): Content {
  const text = `${n} `.repeat(Math.ceil(length / (String(n).length + 1))).slice(0, length);
  return { n: String(n), text, digest: digestOf(text) };
}

/** The number of an object's content. @throws Error when the content is not whole */
export function numberOf(object: ApiObject): number {
  const { data } = object;
  if (isContent(data) && digestOf(data.text) === data.digest && object.metadata.uid !== undefined)
    return Number(data.n);
  throw new Error(`half an object: ${JSON.stringify(object).slice(0, 1000)}`);
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

function isContent(data: unknown): data is Content {
  return typeof data === "object" && data !== null && "n" in data && "text" in data && "digest" in data;
}
