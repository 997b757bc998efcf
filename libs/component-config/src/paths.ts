import { isObject, type JsonObject } from "@orch/schema/descriptor.js";

/** What stands at a path of names (`Generic.LeaderElection.LeaderElect`); undefined where there is nothing. */
export function valueAt(value: JsonObject, path: string): unknown {
  return path.split(".").reduce<unknown>((found, name) => (isObject(found) ? found[name] : undefined), value);
}

/** The value with another one at a path. */
export function withValueAt(value: JsonObject, path: string, given: unknown): JsonObject {
  const dot = path.indexOf(".");
  if (dot < 0) return { ...value, [path]: given };
  const name = path.slice(0, dot);
  const below = value[name];
  return { ...value, [name]: withValueAt(isObject(below) ? below : {}, path.slice(dot + 1), given) };
}

/** Paths at which two values of a kind differ; a list is one value. */
export function differences(a: JsonObject, b: JsonObject, at = ""): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((name) => {
    const [x, y, path] = [a[name], b[name], at === "" ? name : `${at}.${name}`];
    if (isObject(x) && isObject(y)) return differences(x, y, path);
    return JSON.stringify(x) === JSON.stringify(y) ? [] : [path];
  });
}
