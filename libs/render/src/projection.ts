import type { FieldPath } from "@orch/api/field-paths.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";

/** Which fields of an object are shown, by their names; of each "all", or some. */
export type Projection = ReadonlyMap<string, Projection | "all">;

/** `spec.a`, `spec.b.c` → spec: { a: all, b: { c: all } }; a path that ends above another one includes it. */
export function projectionOf(paths: readonly FieldPath[]): Projection {
  const below = new Map<string, FieldPath[]>();
  const whole = new Set<string>();
  for (const [name, ...rest] of paths) {
    if (name === undefined) continue;
    if (rest.length === 0) whole.add(name);
    const known = below.get(name) ?? [];
    known.push(rest);
    below.set(name, known);
  }
  return new Map([...below].map(([name, rest]) => [name, whole.has(name) ? "all" : projectionOf(rest)]));
}

/** The fields in the order in which the object has them. A path that meets a list goes on in each of its elements. */
export function projected(object: JsonObject, projection: Projection): JsonObject {
  const shown: [string, unknown][] = [];
  for (const [name, value] of Object.entries(object)) {
    const wanted = projection.get(name);
    if (wanted === undefined || value === undefined) continue;
    const part = wanted === "all" ? value : below(value, wanted);
    if (part !== undefined) shown.push([name, part]);
  }
  // Keeps a key like __proto__ an ordinary one.
  return Object.fromEntries(shown);
}

/** Undefined where there is nothing below it: a text or a number. */
function below(value: unknown, projection: Projection): unknown {
  if (Array.isArray(value)) return value.map((each) => below(each, projection)).filter((each) => each !== undefined);
  return isObject(value) ? projected(value, projection) : undefined;
}
