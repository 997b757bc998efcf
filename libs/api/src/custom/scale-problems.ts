import { isObject } from "@orch/schema/descriptor.js";
import { cut } from "@orch/status/cut.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { jsonText } from "@orch/status/json-text.js";
import type { ScalePaths } from "../catalog.js";
import type { ApiObject } from "../object.js";

type Judge = (object: ApiObject) => readonly FieldError[];

/** What a custom resource must keep to for its Scale: sizes are integers of 32 bits, and the selector is a text. */
export function scaleProblems({ replicas, statusReplicas, selector }: ScalePaths): {
  readonly whole: Judge;
  readonly status: Judge;
} {
  const status: Judge = (object) => [
    ...sizeProblems(object, statusReplicas),
    ...(selector === undefined ? [] : textProblems(object, selector)),
  ];
  return { status, whole: (object) => [...sizeProblems(object, replicas), ...status(object)] };
}

const largest = 2 ** 31 - 1;

function sizeProblems(object: ApiObject, path: readonly string[]): readonly FieldError[] {
  const at = pathText(path);
  const found = valueAt(object, path);
  if ("problem" in found) return [fieldError.invalid(at, 0, found.problem)];
  const { value } = found;
  if (value === undefined) return [];
  if (!isInteger(value)) return [fieldError.invalid(at, 0, wrongType(at, value, "int64"))];
  if (value < 0) return [fieldError.invalid(at, value, "should be a non-negative integer")];
  return value > largest ? [fieldError.invalid(at, value, `should be less than or equal to ${largest}`)] : [];
}

function textProblems(object: ApiObject, path: readonly string[]): readonly FieldError[] {
  const at = pathText(path);
  const found = valueAt(object, path);
  if ("problem" in found) return [fieldError.invalid(at, "", found.problem)];
  const { value } = found;
  if (value === undefined || typeof value === "string") return [];
  return [fieldError.invalid(at, "", wrongType(at, value, "string"))];
}

type Found = { readonly value: unknown } | { readonly problem: string };

/** What stands at a path; a problem where something on the way is no object. */
function valueAt(object: ApiObject, path: readonly string[]): Found {
  let value: unknown = object;
  for (const [i, step] of path.entries()) {
    if (value === undefined || value === null) return { value: undefined };
    if (!isObject(value))
      return { problem: wrongType(pathText(path.slice(0, i + 1)), value, "map[string]interface{}") };
    value = Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return { value };
}

function pathText(path: readonly string[]): string {
  return `.${path.join(".")}`;
}

function isInteger(value: unknown): value is number | bigint {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

/** In the words of the reference, types included: `.spec.replicas accessor error: x is of the type string, expected int64`. */
function wrongType(at: string, value: unknown, expected: string): string {
  return `${at} accessor error: ${shown(value)} is of the type ${typeName(value)}, expected ${expected}`;
}

const longest = 100;

function shown(value: unknown): string {
  if (value === null) return "<nil>";
  return cut(typeof value === "string" ? value : jsonText(value), longest);
}

function typeName(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return isInteger(value) ? "int64" : "float64";
    case "bigint":
      return "int64";
    default:
      return "map[string]interface {}";
  }
}
