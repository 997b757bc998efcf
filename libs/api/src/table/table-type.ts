import type { Naming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";
import { type LabelSelector, selectorText } from "../kinds/shared/label-selector.js";
import type { AnyObject, ApiObject } from "../object.js";
import { age, type Cell, type CellFunction, none, type Plain, type RowConditionsOf } from "./cell.js";
import { type Column, defaultColumns, type Source, type TableColumnDefinition } from "./column.js";
import { labelsText } from "./label-text.js";
import { itemsAtPath, type Path, valueAtPath } from "./path.js";
import type { Row } from "./row-text.js";

/** How objects of a kind look in a table (rules: Table representation). */
export interface TableType {
  readonly columns: readonly TableColumnDefinition[];
  /** Of an object in its stored version. It depends on the object alone, so it is good for the object's revision. */
  row(object: AnyObject): Row;
}

export interface TableOptions {
  readonly naming: Naming;
  readonly conditionsOf?: RowConditionsOf | undefined;
}

/** No columns: the default table. */
export function compileTable(columns: readonly Column[], { naming, conditionsOf }: TableOptions): TableType {
  const shown = columns.length === 0 ? defaultColumns : columns;
  const functions = shown.map((c) => functionOf(c.source, naming));
  return {
    columns: shown.map(({ name, type, format, description, priority }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
    row: (object) => ({ cells: functions.map((f) => f(object)), conditions: conditionsOf?.(object) ?? [] }),
  };
}

function functionOf(source: Source, naming: Naming): CellFunction {
  switch (source.kind) {
    case "path":
      return (object) => plain(valueAtPath(object, source.path)) ?? source.or;
    case "text":
      return (object) => text(valueAtPath(object, source.path)) ?? source.or;
    case "age":
      return (object) => ageOf(object, source);
    case "count":
      return (object) => source.paths.reduce((sum, path) => sum + sizeOf(valueAtPath(object, path)), 0);
    case "labels":
      return (object) => labelsText(valueAtPath(object, source.path)) || none;
    case "selector":
      return (object) => selectorText(selectorAt(object, source.path)) || none;
    case "join":
      return (object) => itemsAtPath(object, source.path).join(",") || source.or;
    case "ratio":
      return (object) => source.paths.map((path) => text(valueAtPath(object, path)) ?? "0").join("/");
    case "slashed":
      return (object) => slashed(object, source);
    case "cell":
      return source.cell(source.words.map(naming.word));
  }
}

/** A value that a cell can show; undefined for what is absent or empty. */
function plain(value: unknown): Plain | undefined {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return value;
  return typeof value === "string" && value !== "" ? value : undefined;
}

function text(value: unknown): string | undefined {
  const shown = plain(value);
  return shown === undefined ? undefined : String(shown);
}

function ageOf(object: ApiObject, source: { readonly path: Path; readonly or: string | undefined }): Cell {
  const time = text(valueAtPath(object, source.path));
  return source.or === undefined ? age(time) : age(time, { or: source.or });
}

function selectorAt(object: ApiObject, path: Path): LabelSelector | undefined {
  const value = valueAtPath(object, path);
  return isLabelSelector(value) ? value : undefined;
}

/** What decoding left at the path of a selector is one. */
function isLabelSelector(value: unknown): value is LabelSelector {
  return isObject(value);
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function slashed(object: ApiObject, source: { readonly paths: readonly Path[]; readonly or: string }): string {
  const parts = source.paths.map((path) => text(valueAtPath(object, path)));
  return parts.every((part) => part === undefined) ? source.or : parts.map((part) => part ?? "").join("/");
}
