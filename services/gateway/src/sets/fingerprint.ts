import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";

/** Fields of metadata that change with every write, or that the server counts. */
const counted: ReadonlySet<string> = new Set(["resourceVersion", "managedFields", "generation"]);

/**
 * The same for two states that differ in their status alone: controllers write that all the time, and it is nothing that a set
 * is judged by.
 */
export function fingerprintOf({ status: _status, metadata, ...object }: JsonObject): string {
  const meta = isObject(metadata) ? Object.entries(metadata).filter(([name]) => !counted.has(name)) : [];
  return createHash("sha256")
    .update(JSON.stringify([meta, object]))
    .digest("base64");
}
