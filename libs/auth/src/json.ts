import { readJson } from "@orch/status/read-json.js";
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of the object itself: names come from outside, `__proto__` is one. */
export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Undefined for what is no JSON, or no object. Whoever sent it may have sent anything; the parser's words would show it. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = readJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
