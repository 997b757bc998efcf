import { t } from "../check/types.js";
import { scale } from "../cost/sizes.js";
import { equal } from "../values/equality.js";
import { CelError, MapValue, noSuchOverload, type Value } from "../values/value.js";
import { global, type Library, stringFactor, traversal } from "./library.js";

export const patchType = "JSONPatch";
const texts = ["op", "path", "from"] as const;

/** One operation of a patch; fields that were not set are empty. */
export class PatchValue extends MapValue {
  override readonly typeName = `type(${patchType})`;
  constructor(readonly fields: ReadonlyMap<string, Value>) {
    super();
  }
  override present(key: Value): boolean | CelError {
    const value = this.find(key);
    return value instanceof CelError ? value : value !== undefined && value !== "";
  }
  get size(): number {
    return this.fields.size;
  }
  find(key: Value): Value | undefined {
    if (typeof key !== "string") return new CelError(`unsupported indexer: ${String(key)}`);
    const value = this.fields.get(key);
    return value ?? (texts.some((name) => name === key) ? "" : undefined);
  }
  keys(): Iterable<Value> {
    return this.fields.keys();
  }
  override equals(other: MapValue): boolean | CelError {
    if (!(other instanceof PatchValue)) return false;
    for (const name of [...texts, "value"]) {
      const a = this.fields.get(name) ?? null;
      const b = other.fields.get(name) ?? null;
      const same = equal(a, b);
      if (same !== true) return same;
    }
    return true;
  }
}

/** The value of `JSONPatch{…}`. */
export function patchOf(fields: ReadonlyMap<string, Value>): Value {
  for (const [name, value] of fields) {
    if (name === "value") continue;
    if (!texts.some((text) => text === name)) return new CelError(`unexpected JSONPatchType field: ${name}`);
    if (typeof value !== "string") return new CelError(`unexpected type for JSONPatchType '${name}' field`);
  }
  return new PatchValue(fields);
}

/** An object of a mutating policy: what is to be set, field by field. */
export class ApplyValue extends MapValue {
  override readonly typeName: string;
  constructor(
    readonly name: string,
    readonly fields: ReadonlyMap<string, Value>,
  ) {
    super();
    this.typeName = `type(${name})`;
  }
  get size(): number {
    return 1;
  }
  find(key: Value): Value | undefined {
    return typeof key === "string" ? this.fields.get(key) : undefined;
  }
  keys(): Iterable<Value> {
    return this.fields.keys();
  }
  override equals(other: MapValue): boolean | CelError {
    if (!(other instanceof ApplyValue) || this.name !== other.name) return false;
    if (this.fields.size !== other.fields.size) return false;
    for (const [name, value] of this.fields) {
      const theirs = other.fields.get(name);
      if (theirs === undefined) return false;
      const same = equal(value, theirs);
      if (same !== true) return same;
    }
    return true;
  }
}

/** `Object` and `Object.spec.template`: types of objects whose fields may be anything. */
export function isApplyType(name: string): boolean {
  return name === "Object" || name.startsWith("Object.");
}

export const applyFields = { field: () => t.dyn };

/** Makes the objects that patches are written with. */
export function constructPatch(name: string, fields: ReadonlyMap<string, Value>): Value | undefined {
  if (name === patchType) return patchOf(fields);
  return isApplyType(name) ? new ApplyValue(name, fields) : undefined;
}

export const patchFields = {
  field: (name: string) => (name === "value" ? t.dyn : texts.some((text) => text === name) ? t.string : t.unspecified),
};

export const jsonPatch: Library = {
  name: "jsonpatch",
  since: 32,
  functions: [
    {
      name: "jsonpatch.escapeKey",
      cost: traversal(0),
      estimate: ({ args: [x], sizeOf }) => x && { cost: scale(sizeOf(x), stringFactor), size: sizeOf(x) },
      overloads: [
        {
          ...global("string_jsonpatch_escapeKey_string", [t.string], t.string),
          run: ([x = null]) => (typeof x === "string" ? x.replaceAll("~", "~0").replaceAll("/", "~1") : noSuchOverload),
        },
      ],
    },
  ],
};
