import { type AnyObject, valueAt } from "@orch/api/object.js";
import { watchCacheGet } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { readJson } from "@orch/status/read-json.js";
import type { Target } from "@orch/status/target.js";

/** Objects of the core group in their newest state, as a get answers them. */
export interface CoreObjects {
  /** @throws ApiError NotFound, or where nobody can be asked */
  get(of: Pick<Target, "resource" | "namespace" | "name">): Promise<AnyObject>;
}

export function coreObjects(caches: (group: string) => Caller, deadlineMs: number): CoreObjects {
  return {
    async get(of) {
      const asked = { group: "", version: "v1", ...of, resourceVersion: "", subresource: "", form: "" };
      const { body } = await caches("").call(watchCacheGet, asked, { deadlineMs });
      const object: AnyObject = readJson(body.toString("utf8"));
      return object;
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => value instanceof Object && !Array.isArray(value);

/** The objects of a list within an object; none where there is no list. */
export function listAt(object: AnyObject, path: string): readonly Fields[] {
  return fieldsIn(valueAt(object, path));
}

export function fieldsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function textAt(object: AnyObject, path: string): string {
  const value = valueAt(object, path);
  return typeof value === "string" ? value : "";
}
