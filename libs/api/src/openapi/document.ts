import { createHash } from "node:crypto";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";
import { once } from "../catalog.js";
import { encode, type Shape } from "./protobuf.js";

/** A document in its two encodings; the second is made when it is first asked for. */
export interface Document {
  /** Of the JSON text: upper-case hexadecimal SHA-512, what `ETag` and `?hash=` carry. */
  readonly hash: string;
  readonly json: Buffer;
  protobuf(): Uint8Array;
}

/** A value as a document; without a shape it has no second encoding. */
export function document(value: JsonObject, shape: Shape | undefined): Document {
  const json = Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
  return {
    json,
    hash: createHash("sha512").update(json).digest("hex").toUpperCase(),
    protobuf: once(() => {
      if (shape === undefined) throw new TypeError("a document without messages");
      return encode(readJson(json.toString("utf8")), shape);
    }),
  };
}
