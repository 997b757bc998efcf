import { keyText } from "../values/collections.js";
import { untyped } from "../values/untyped.js";
import {
  CelError,
  Double,
  ListValue,
  MapValue,
  nativeTypeName,
  none,
  noSuchOverload,
  Optional,
  typeNameOf,
  Uint,
  type Value,
} from "../values/value.js";
import { charge, type Frame, isError, type Step } from "./frame.js";

/** A path from a variable or a value: one look-up after the other, each of cost 1. */
export interface Attribute {
  readonly root: Root;
  readonly qualifiers: readonly Qualifier[];
}

export type Root =
  | { readonly kind: "value"; readonly read: Step }
  | { readonly kind: "conditional"; readonly condition: Step; readonly yes: Attribute; readonly no: Attribute };

export interface Qualifier {
  /** A constant key, or one computed each time. */
  readonly key: Value | Step;
  /** `.?` and `[?`: what is absent is none. */
  readonly optional: boolean;
  /** The last of `has()`. */
  readonly test: boolean;
}

export function extend(attribute: Attribute, qualifier: Qualifier): Attribute {
  const { root } = attribute;
  if (root.kind === "value") return { root, qualifiers: [...attribute.qualifiers, qualifier] };
  return { root: { ...root, yes: extend(root.yes, qualifier), no: extend(root.no, qualifier) }, qualifiers: [] };
}

/** Gives the value at the end of the path; what it costs to read the variable itself is its caller's. */
export function resolver(attribute: Attribute): Step {
  const { root } = attribute;
  if (root.kind === "conditional") return conditional(root.condition, resolver(root.yes), resolver(root.no));
  const { qualifiers } = attribute;
  const steps = qualifiers.map(qualifierStep);
  if (qualifiers.some((q) => q.optional)) return optionalPath(root.read, qualifiers, steps);
  return plainPath(root.read, steps);
}

function conditional(condition: Step, yes: Step, no: Step): Step {
  return (f) => {
    const chosen = condition(f);
    if (chosen === true) return yes(f);
    if (chosen === false) return no(f);
    return isError(chosen) ? chosen : noSuchOverload;
  };
}

interface QualifierStep {
  /** The entry, or an error. */
  get(f: Frame, from: Value): Value;
  /** The entry, undefined where it is absent, or an error. */
  find(f: Frame, from: Value): Value | undefined;
}

function plainPath(read: Step, steps: readonly QualifierStep[]): Step {
  return (f) => {
    let value = read(f);
    if (isError(value)) return value;
    if (value instanceof Optional) return optionally(f, value, steps);
    for (const step of steps) {
      value = step.get(f, value);
      if (isError(value)) return value;
    }
    return value;
  };
}

/** An optional at the root makes the whole path one; its value is taken out of the type that it had. */
function optionally(f: Frame, operand: Optional, steps: readonly QualifierStep[]): Value {
  if (operand.value === undefined) return operand;
  const value = untyped(operand.value);
  return isError(value) && steps.length > 0 ? value : found(f, value, steps);
}

function found(f: Frame, from: Value, steps: readonly QualifierStep[]): Value {
  let value = from;
  for (const step of steps) {
    const next = step.find(f, value);
    if (next === undefined) return none;
    if (isError(next)) return next;
    value = next;
  }
  return new Optional(value);
}

function optionalPath(read: Step, qualifiers: readonly Qualifier[], steps: readonly QualifierStep[]): Step {
  const first = qualifiers.findIndex((q) => q.optional);
  const before = steps.slice(0, first);
  const after = steps.slice(first);
  return (f) => {
    let value = read(f);
    if (isError(value)) return value;
    if (value instanceof Optional) return optionally(f, value, steps);
    // An optional that is met on the way is a value like others.
    for (const step of before) {
      value = step.get(f, value);
      if (isError(value)) return value;
    }
    return found(f, value, after);
  };
}

function qualifierStep({ key, test }: Qualifier): QualifierStep {
  if (typeof key === "function") {
    return {
      get: (f, from) => {
        const at = key(f);
        const value = isError(at) ? at : lookUp(from, at);
        charge(f, 1);
        return value;
      },
      find: (f, from) => {
        const at = key(f);
        const found = isError(at) ? at : find(from, at);
        if (found !== undefined && !isError(found)) charge(f, 1);
        return found;
      },
    };
  }
  return {
    get: (f, from) => {
      const value = test ? present(from, key) : lookUp(from, key);
      charge(f, 1);
      return value;
    },
    find: (f, from) => {
      const found = find(from, key);
      if (found !== undefined && !isError(found)) charge(f, 1);
      return found;
    },
  };
}

function present(from: Value, key: Value): Value {
  if (from instanceof MapValue && from.present !== undefined) return from.present(key);
  const found = find(from, key);
  return found !== undefined && isError(found) ? found : found !== undefined;
}

function lookUp(from: Value, key: Value): Value {
  const found = find(from, key);
  if (found !== undefined) return found;
  return new CelError(
    from instanceof ListValue ? `index out of bounds: ${keyText(key)}` : `no such key: ${keyText(key)}`,
  );
}

/** The entry of a map, the element of a list; undefined where there is none; an error where there can be none. */
export function find(from: Value, key: Value): Value | undefined {
  if (!isKey(key)) return new CelError(`invalid qualifier type: ${nativeTypeName(key)}`);
  if (from instanceof MapValue) return from.find(key);
  if (!(from instanceof ListValue)) return undefined;
  const index = indexOf(key);
  if (index instanceof CelError) return index;
  return index >= 0 && index < from.size ? from.at(index) : undefined;
}

/** Whether a value may stand in brackets at all. */
export function isKey(key: Value): boolean {
  if (typeof key === "object") return key instanceof Double || key instanceof Uint;
  return true;
}

function indexOf(key: Value): number | CelError {
  if (typeof key === "number") return key;
  if (typeof key === "bigint") return Number(key);
  if (key instanceof Uint) return Number(key.value);
  if (!(key instanceof Double)) return new CelError(`unsupported index type '${typeNameOf(key)}' in list`);
  if (Number.isSafeInteger(key.value)) return key.value;
  return new CelError(`unsupported index value ${keyText(key)} in list`);
}
