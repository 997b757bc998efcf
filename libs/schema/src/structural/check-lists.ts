import { enoughErrors } from "@orch/status/errors-of-each.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { isObject, type ListType, type Type } from "../descriptor.js";
import { jsonKey } from "../equal.js";
import { type Path, pathText } from "../path.js";
import { itemType, memberType } from "./members.js";

/** Every item of a set, or of a map list by its keys, that repeats another: the second of its like is told. */
export function checkLists(type: Type, value: unknown, at?: Path): readonly FieldError[] {
  const errors: FieldError[] = [];
  below(errors, type, value, at);
  return errors;
}

function below(errors: FieldError[], type: Type, value: unknown, at: Path | undefined): void {
  if (type.rules?.below.lists !== true || errors.length >= enoughErrors) return;
  if (Array.isArray(value)) {
    if (type.kind === "list") checkList(errors, type, value, at);
    const item = itemType(type);
    if (item?.rules?.below.lists !== true) return;
    for (const [i, v] of value.entries()) below(errors, item, v, { up: at, step: i });
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const member = memberType(type, name);
      if (member !== undefined) below(errors, member.type, value[name], { up: at, step: stepTo(name, member.named) });
    }
  }
}

/** A field's name, or the key of a map's value. */
export function stepTo(name: string, named: boolean): string {
  return named ? name : `[${name}]`;
}

function checkList(errors: FieldError[], type: ListType, list: readonly unknown[], at: Path | undefined): void {
  const path = (i: number): string => pathText({ up: at, step: i });
  if (type.listType === "set") {
    for (const i of repeats(list)) errors.push(fieldError.duplicate(path(i), list[i]));
  } else if (type.listType === "map") {
    const odd = list.findIndex((item) => item !== null && !isObject(item));
    if (odd >= 0) {
      errors.push(fieldError.invalid(path(odd), list[odd], "must be an object for an array of list-type map"));
      return;
    }
    const keys = list.map((item) => keyText(type.keys, item));
    for (const i of repeats(keys)) errors.push(fieldError.duplicate(path(i), keysOf(type.keys, list[i])));
  }
}

/** The same for items of the same keys; one that lacks a key differs from one in which it is null. */
export function keyText(names: readonly string[], item: unknown): string {
  if (!isObject(item)) return "";
  return names.map((name) => (Object.hasOwn(item, name) ? jsonKey(item[name]) : "")).join(",");
}

function keysOf(names: readonly string[], item: unknown): unknown {
  if (!isObject(item)) return {};
  return Object.fromEntries(names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]]));
}

/** The positions of values that are there for the second time. */
function repeats(values: readonly unknown[]): readonly number[] {
  const plain = values.every((value) => typeof value !== "object" || value === null);
  const keys = plain ? values : values.map(jsonKey);
  if (new Set(keys).size === keys.length) return [];
  const times = new Map<unknown, number>();
  return keys.flatMap((key, i) => {
    const count = (times.get(key) ?? 0) + 1;
    times.set(key, count);
    return count === 2 ? [i] : [];
  });
}
