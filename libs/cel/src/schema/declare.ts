import type { StructDeclaration } from "../check/environment.js";
import { type Type, t } from "../check/types.js";
import { type Range, range } from "../cost/sizes.js";
import { escapeName, isReservedWord, unescapeName } from "./escape.js";
import { type SchemaView, withObjectMeta } from "./view.js";

/** The type of a schema, with the sizes that estimates count with; all of it is worked out when it is asked for. */
export interface Declared {
  readonly type: Type;
  /** The most elements, entries or units of text; 0 of what has no size. */
  readonly max: number;
  /** The fewest bytes of a value as JSON. */
  readonly min: number;
  readonly fields?: { get(name: string): Declared | undefined };
  readonly key?: Declared;
  readonly element?: Declared;
}

export interface SchemaDeclaration {
  readonly declared: Declared;
  /** The types of objects by their names; a type is there once a field of it was asked for. */
  readonly structs: ReadonlyMap<string, StructDeclaration>;
  /** How large what a path of a variable leads to may be. */
  size(path: readonly string[]): Range | undefined;
}

export interface DeclareOptions {
  /** The name of the type of the whole. */
  readonly name: string;
  /** Of a resource: its kind, version and names are declared. */
  readonly root: boolean;
  /** Whether reserved words may be selected as they are written (since 1.31). */
  readonly keywords: boolean;
}

/** The largest request; what has no bound of its own may fill one. */
const requestBytes = 3 * 1024 * 1024;
const unboundedText = requestBytes - 2;

/** The types of a schema; undefined where expressions do not see it. */
export function declareSchema(view: SchemaView, options: DeclareOptions): SchemaDeclaration | undefined {
  const structs = new Map<string, StructDeclaration>();
  const declared = declare(view, { ...options, structs }, { name: options.name, root: options.root });
  if (declared === undefined) return undefined;
  return {
    declared,
    structs,
    size: (path) => sizeAt(declared, path),
  };
}

/** How large what a path leads to may be; its first step is the variable, whose declaration this is. */
export function sizeAt(declared: Declared, path: readonly string[]): Range | undefined {
  let at: Declared | undefined = declared;
  for (const step of path.slice(1)) at = at && stepInto(at, step);
  return at && range(0, at.max);
}

function stepInto(at: Declared, step: string): Declared | undefined {
  if (step === "@items" || step === "@values") return at.element;
  return step === "@keys" ? at.key : at.fields?.get(step);
}

interface Context {
  readonly keywords: boolean;
  readonly structs: Map<string, StructDeclaration>;
}

interface Place {
  readonly name: string;
  readonly root: boolean;
}

const scalar = (type: Type, min: number, max = 0): Declared => ({ type, min, max });
const mapKey = scalar(t.string, 2);

function declare(given: SchemaView, ctx: Context, { name, root }: Place): Declared | undefined {
  if (given.intOrString) return scalar(t.dyn, 1, unboundedText);
  const view = root ? withObjectMeta(given) : given;
  const inner = (part: SchemaView, step: string): Declared | undefined =>
    declare(part, ctx, { name: `${name}.${step}`, root: part.embedded });
  switch (view.type) {
    case "array":
      return view.items && declareList(view, inner(view.items, "@idx"));
    case "object":
      if (view.values !== undefined) return declareMap(view, inner(view.values, "@elem"));
      return declareObject(view, ctx, { name, inner });
    case "string":
      return declareText(view);
    case "boolean":
      return scalar(t.bool, 4);
    case "number":
      return scalar(t.double, 1);
    case "integer":
      return scalar(t.int, 1);
    default:
      return undefined;
  }
}

function declareList(view: SchemaView, element: Declared | undefined): Declared | undefined {
  if (element === undefined) return undefined;
  return {
    type: t.list(element.type),
    min: 2,
    get max() {
      return view.maxItems ?? Math.floor(unboundedText / (element.min + 1));
    },
    element,
  };
}

function declareMap(view: SchemaView, element: Declared | undefined): Declared | undefined {
  if (element === undefined) return undefined;
  return {
    type: t.map(t.string, element.type),
    min: 2,
    get max() {
      return view.maxProperties ?? Math.floor(unboundedText / (element.min + 6));
    },
    key: mapKey,
    element,
  };
}

function declareObject(
  view: SchemaView,
  ctx: Context,
  place: { readonly name: string; readonly inner: (part: SchemaView, step: string) => Declared | undefined },
): Declared {
  const made = new Map<string, Declared | undefined>();
  const make = (name: string): Declared | undefined => {
    const property = unescapeName(name);
    if (property === undefined || escapeName(property) !== name) return undefined;
    const part = view.properties?.get(property);
    return part && place.inner(part, name);
  };
  const get = (name: string): Declared | undefined => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name);
  };
  ctx.structs.set(place.name, {
    field: (name) => (get(name) ?? (ctx.keywords && isReservedWord(name) ? get(`__${name}__`) : undefined))?.type,
  });
  let min: number | undefined;
  return {
    type: t.struct(place.name),
    max: 0,
    get min() {
      min ??= leastBytes(view, (property, part) => {
        const name = escapeName(property);
        return name === undefined ? place.inner(part, property) : get(name);
      });
      return min;
    },
    fields: { get },
  };
}

/** Of an object with nothing but what it must have. */
function leastBytes(
  { properties, required }: SchemaView,
  declared: (property: string, part: SchemaView) => Declared | undefined,
): number {
  let bytes = 2;
  for (const property of new Set(required)) {
    const part = properties?.get(property);
    const field = part === undefined || part.hasDefault ? undefined : declared(property, part);
    if (field !== undefined) bytes += Buffer.byteLength(property) + field.min + 4;
  }
  return bytes;
}

function declareText(view: SchemaView): Declared {
  switch (view.format) {
    case "byte":
      return scalar(t.bytes, 2, view.maxLength ?? unboundedText);
    case "duration":
      return scalar(t.duration, 3, 32);
    case "date":
      return scalar(t.timestamp, 12, 12);
    case "date-time":
      return scalar(t.timestamp, 21, 32);
    default:
      return scalar(t.string, 2, textBound(view));
  }
}

/** A code point has up to four bytes; of an enumeration the longest text counts. */
function textBound(view: SchemaView): number {
  if (view.maxLength !== undefined) return view.maxLength * 4;
  if (view.enum.length === 0) return unboundedText;
  return Math.max(...view.enum.map((text) => Buffer.byteLength(text)));
}
