import assert from "node:assert/strict";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import type { Document } from "../openapi.js";

export function parsed(document: Document | undefined): JsonObject {
  const value: unknown = JSON.parse(document?.json.toString("utf8") ?? "null");
  assert.ok(isObject(value));
  return value;
}

/** What stands in a document under these keys; undefined where nothing does. */
export function part(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}
