import { ArrayList, EntryMap, keyOf, keyText, unhashable } from "../values/collections.js";
import { CelError, Optional, type Value } from "../values/value.js";
import { Cancelled, type Frame, isError, type Step } from "./frame.js";

export function notOptional(what: string, value: Value): CelError {
  return new CelError(`cannot initialize optional ${what} from non-optional value ${keyText(value)}`);
}

export function makeList(values: readonly Value[], optional: ReadonlySet<number>): Value {
  const items: Value[] = [];
  for (const [i, value] of values.entries()) {
    if (!optional.has(i)) items.push(value);
    else if (!(value instanceof Optional)) return notOptional("list element", value);
    else if (value.value !== undefined) items.push(value.value);
  }
  return new ArrayList(items);
}

export interface EntryStep {
  readonly key: Step;
  readonly value: Step;
  readonly optional: boolean;
}

export function mapStep(entries: readonly EntryStep[]): Step {
  return (f) => {
    const found = new Map<Value, readonly [Value, Value]>();
    for (const entry of entries) {
      const key = entry.key(f);
      if (isError(key)) return key;
      const value = entry.value(f);
      if (isError(value)) return value;
      const wrong = unhashable(key);
      if (wrong !== undefined) throw new Cancelled(`internal error: runtime error: hash of unhashable type ${wrong}`);
      if (!entry.optional) found.set(keyOf(key), [key, value]);
      else if (!(value instanceof Optional)) return notOptional(`entry '${keyText(key)}'`, value);
      else if (value.value === undefined) found.delete(keyOf(key));
      else found.set(keyOf(key), [key, value.value]);
    }
    return new EntryMap(found);
  };
}

export function orUnknown(name: string, made: Value | undefined): Value {
  return made === undefined ? new CelError(`unknown type '${name}'`) : made;
}

export interface FieldStep {
  readonly name: string;
  readonly value: Step;
  readonly optional: boolean;
}

export function structValue(
  f: Frame,
  fields: readonly FieldStep[],
  make: (values: ReadonlyMap<string, Value>) => Value,
): Value {
  const values = new Map<string, Value>();
  for (const { name, value: read, optional } of fields) {
    const value = read(f);
    if (isError(value)) return value;
    if (!optional) values.set(name, value);
    else if (!(value instanceof Optional)) return notOptional(`entry '${name}'`, value);
    else if (value.value === undefined) values.delete(name);
    else values.set(name, value.value);
  }
  return make(values);
}
