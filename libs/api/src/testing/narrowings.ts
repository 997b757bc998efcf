import { isObject, type JsonObject } from "@orch/schema/descriptor.js";

/** Makes of a random object one that a version may really have. */
export type Narrowing = (object: JsonObject) => JsonObject;

/**
 * Changes the objects at a path; `[]` behind a name stands for every item of a list, a path to nothing changes nothing:
 *
 *     changeAt("spec.rules[].http", withoutPaths)
 */
export function changeAt(path: string, change: Narrowing): Narrowing {
  const [head = "", ...rest] = path.split(".");
  const below = rest.length === 0 ? change : changeAt(rest.join("."), change);
  const name = head.replace("[]", "");
  return (object) => {
    const value = object[name];
    if (head.endsWith("[]") && Array.isArray(value)) {
      return { ...object, [name]: value.map((item: unknown) => (isObject(item) ? below(item) : item)) };
    }
    return isObject(value) ? { ...object, [name]: below(value) } : object;
  };
}
