import { DecodeError, pathText } from "./decode.js";
import { isObject, type Type } from "./descriptor.js";

type Step = string | number;

/**
 * Whole numbers of a tree that were written as no integers (`1.0`, `1e2`), by the object or list that holds them. A tree
 * does not tell them apart; JSON and CBOR bodies of integer fields must (rules: Behavior rules, 3: types are validated).
 */
export interface Floats {
  /** As it was written. */
  textAt(holder: object, step: Step): string | undefined;
}

/** Floats while they are found; of a repeated key the last value decides. */
export interface FloatsBuilder {
  add(holder: object, step: Step, text: string): void;
  remove(holder: object, step: Step): void;
  /** Undefined where there are none. */
  all(): Floats | undefined;
}

export function createFloats(): FloatsBuilder {
  const found = new Map<object, Map<Step, string>>();
  return {
    add(holder, step, text) {
      const steps = found.get(holder) ?? new Map<Step, string>();
      if (steps.size === 0) found.set(holder, steps);
      steps.set(step, text);
    },
    remove(holder, step) {
      found.get(holder)?.delete(step);
    },
    all: () => (found.size === 0 ? undefined : { textAt: (holder, step) => found.get(holder)?.get(step) }),
  };
}

/**
 * Refuses the first integer of a type that is written as a float. `at` is the path of the value for the error.
 * @throws DecodeError
 */
export function refuseFloats(floats: Floats, type: Type, value: unknown, at: readonly Step[] = []): void {
  const walk: Walk = { floats, path: [...at] };
  below(walk, type, value);
}

interface Walk {
  readonly floats: Floats;
  readonly path: Step[];
}

function below(walk: Walk, type: Type, value: unknown): void {
  if (type.kind === "message" && isObject(value)) {
    for (const name of Object.keys(value)) {
      const field = type.byName.get(name);
      if (field !== undefined) step(walk, value, { type: field.type, step: name, value: value[name] });
    }
  } else if (type.kind === "map" && isObject(value)) {
    for (const name of Object.keys(value)) step(walk, value, { type: type.value, step: name, value: value[name] });
  } else if (type.kind === "list" && Array.isArray(value)) {
    for (const [i, item] of value.entries()) step(walk, value, { type: type.item, step: i, value: item });
  } else if (type.kind === "either") {
    for (const { type: form } of type.alternatives) below(walk, form, value);
  }
}

interface Inner {
  readonly type: Type;
  readonly step: Step;
  readonly value: unknown;
}

function step(walk: Walk, holder: object, { type, step: name, value }: Inner): void {
  walk.path.push(name);
  if (typeof value === "object") below(walk, type, value);
  else refuseAt(walk.floats, type, { holder, step: name, path: walk.path });
  walk.path.pop();
}

interface Written {
  readonly holder: object;
  readonly step: Step;
  readonly path: readonly Step[];
}

/** One number, wherever it was written: in custom resources whole floats are integers. @throws DecodeError */
export function refuseAt(floats: Floats, type: Type, { holder, step: name, path }: Written): void {
  if (type.rules !== undefined) return;
  if (type.kind !== "int32" && type.kind !== "int64" && type.kind !== "intOrString") return;
  const text = floats.textAt(holder, name);
  const expected = type.kind === "intOrString" ? "int or string" : type.kind;
  if (text !== undefined) throw new DecodeError(pathText(path), `expected ${expected}, got number ${text}`);
}
