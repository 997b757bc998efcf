import { isZero } from "./decode.js";
import { type Field, type Forms, isObject, type JsonObject, type MessageType, type Type } from "./descriptor.js";
import { createStops } from "./reach.js";

/** A zero default of a field that drops zeros is for publication only: storing it would undo decoding. */
function applies(field: Field): boolean {
  return field.default !== undefined && !(field.dropsZero && isZero(field.default));
}

const stopsOf = createStops(applies, "defaults");

/**
 * The object with its absent fields set to their literal defaults, also inside what defaults brought.
 * What needs no change is shared with the input. A set value is never overwritten; twice is as once.
 */
export function applyDefaults(type: MessageType, object: JsonObject): JsonObject {
  let copy: Record<string, unknown> | undefined;
  for (const stop of stopsOf(type)) {
    const { field } = stop;
    const given = object[field.name];
    let value = given;
    if (given === undefined || given === null) {
      if (!stop.wanted || (given === null && isValue(field))) continue;
      value = fresh(field.default);
    }
    if (stop.below) value = below(field.type, value);
    if (value !== given) {
      copy ??= { ...object };
      copy[field.name] = value;
    }
  }
  return copy ?? object;
}

/** Whether null is a value of a field. */
function isValue({ nullable, type }: Field): boolean {
  return nullable && type.rules !== undefined;
}

function below(type: Type, value: unknown): unknown {
  switch (type.kind) {
    case "message":
      return isObject(value) ? applyDefaults(type, value) : value;
    case "list":
      return Array.isArray(value) ? mapped(value, changeOf(type.item)) : value;
    case "map": {
      if (!isObject(value)) return value;
      const entries = Object.entries(value);
      const values = mapped(
        entries.map(([, v]) => v),
        changeOf(type.value),
      );
      const changed = entries.some(([, v], i) => v !== values[i]);
      return changed ? Object.fromEntries(entries.map(([name], i) => [name, values[i]])) : value;
    }
    case "any":
      return type.forms === undefined ? value : belowForms(type.forms, value);
    default:
      return value;
  }
}

function belowForms({ object, list }: Forms, value: unknown): unknown {
  if (Array.isArray(value)) return list === undefined ? value : below(list, value);
  return isObject(value) && object !== undefined ? below(object, value) : value;
}

function changeOf(type: Type): (value: unknown) => unknown {
  return type.rules === undefined ? (value) => below(type, value) : (value) => element(type, value);
}

/** A value in a list or a map of a custom resource: null stands for the default of what may not be null. */
function element(type: Type, value: unknown): unknown {
  const schema = value === null ? type.rules?.schema : undefined;
  return below(type, schema === undefined || schema.nullable === true ? value : (fresh(schema.default) ?? null));
}

/** The list with each item changed; itself when no item does. */
function mapped(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const given = list[i];
    const value = change(given);
    if (copy !== undefined) copy.push(value);
    else if (value !== given) copy = [...list.slice(0, i), value];
  }
  return copy ?? list;
}

/** A value of its own for every object; nearly all defaults that are no scalars are an empty object. */
function fresh(value: unknown): unknown {
  if (typeof value !== "object") return value;
  return isObject(value) && isZero(value) ? {} : structuredClone(value);
}
