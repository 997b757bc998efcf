import { readJson } from "@orch/status/read-json.js";

/** How far a migration came. */
export interface Progress {
  /** Resources that are done: `secrets`, `deployments.apps`. */
  readonly done: readonly string[];
  /** The one that is under way, and where it goes on: among its objects, or the records of their past. */
  readonly now?: { readonly resource: string; readonly from: string; readonly of?: "records" };
}

/** Undefined for a text that is none. */
export function parseProgress(text: string): Progress | undefined {
  let value: unknown;
  try {
    value = readJson(text);
  } catch {
    return undefined;
  }
  const [done, now] = [field(value, "done"), field(value, "now")];
  if (!Array.isArray(done) || !done.every((each) => typeof each === "string")) return undefined;
  const [resource, from] = [field(now, "resource"), field(now, "from")];
  if (typeof resource !== "string" || typeof from !== "string") return { done };
  return { done, now: { resource, from, ...(field(now, "of") === "records" ? { of: "records" } : {}) } };
}

const field = (value: unknown, name: string): unknown =>
  value instanceof Object ? Reflect.get(value, name) : undefined;
