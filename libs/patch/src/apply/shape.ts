import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { jsonText } from "@orch/status/json-text.js";
import { readJson } from "@orch/status/read-json.js";
import { sameTree } from "../fields/same-tree.js";

/** What of an object decides which fields it has: two of one shape have the same ones, whatever their texts and numbers say. */
export type Shape = ObjectShape | ListShape | ScalarShape;

interface ObjectShape {
  readonly names: readonly string[];
  readonly shapes: readonly Shape[];
}

/** Items are told apart by what they say. */
interface ListShape {
  readonly items: readonly unknown[];
}

/** A scalar that could be the zero of its field stands for itself alone: it changes nothing where the field has that zero. */
type ScalarShape = { readonly scalar: unknown } | "other";

/** What has more is not worth to be compared with. */
const mostParts = 256;
/** A longer name, or text in a list, is not kept: whoever sends it would have it stay in memory. */
const longestText = 256;

interface Budget {
  parts: number;
}

/** Undefined for an object of many parts. */
export function shapeOf(object: JsonObject): Shape | undefined {
  const budget = { parts: mostParts };
  const shape = shapeOfValue(object, budget);
  return budget.parts < 0 ? undefined : shape;
}

function shapeOfValue(value: unknown, budget: Budget): Shape {
  budget.parts -= 1;
  if (budget.parts < 0) return "other";
  if (Array.isArray(value)) {
    spend(value, budget);
    // Texts of a decoded body may be parts of the body's own, which would stay with them.
    return { items: budget.parts < 0 ? [] : readJson(jsonText(value)) };
  }
  if (!isObject(value)) return isZero(value) ? { scalar: value } : "other";
  const names = Object.keys(value);
  const shapes: Shape[] = [];
  for (const name of names) {
    if (name.length > longestText) budget.parts = -1;
    if (budget.parts < 0) break;
    shapes.push(shapeOfValue(value[name], budget));
  }
  return { names, shapes };
}

/** Takes what a list holds off the budget; what a copy of it would round is beyond any. */
function spend(value: unknown, budget: Budget): void {
  budget.parts -= 1;
  if (typeof value === "string" ? value.length > longestText : typeof value === "bigint") budget.parts = -1;
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name.length > longestText) budget.parts = -1;
    if (budget.parts < 0) return;
    spend(inner, budget);
  }
}

export function hasShape(value: unknown, shape: Shape): boolean {
  if (shape === "other") return !Array.isArray(value) && !isObject(value) && !isZero(value);
  if ("scalar" in shape) return value === shape.scalar;
  if ("items" in shape) return Array.isArray(value) && sameTree(value, shape.items);
  if (!isObject(value)) return false;
  const { names, shapes } = shape;
  let i = 0;
  for (const name in value) {
    const below = shapes[i];
    if (below === undefined || name !== names[i] || !hasShape(value[name], below)) return false;
    i++;
  }
  return i === names.length;
}

/** Whether a scalar can be what `complete` writes for a field that has no value. */
function isZero(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === 0 ||
    value === "" ||
    value === false ||
    value === "0" ||
    value === "0s"
  );
}
