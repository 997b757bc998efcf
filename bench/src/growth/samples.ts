import type { Check, Field, FormatName, MessageType, ScalarKind, Type } from "@orch/schema/descriptor.js";

/** What the elements of a grown list or map are like. */
export const shapes = ["distinct", "equal", "wrong", "mistyped", "unknown"] as const;
export type Shape = (typeof shapes)[number];

interface Wish {
  readonly index: number;
  readonly shape: Shape;
  readonly field?: Field | undefined;
  readonly check?: Check | undefined;
}

const byFormat: Readonly<Record<FormatName, (i: number) => unknown>> = {
  dnsLabel: (i) => `e${i}`,
  dns1035Label: (i) => `e${i}`,
  dnsSubdomain: (i) => `e${i}`,
  qualifiedName: (i) => `example.com/e${i}`,
  labelValue: (i) => `e${i}`,
  pathSegment: (i) => `e${i}`,
  portName: (i) => `p${i % 1_000_000}`,
  configKey: (i) => `e${i}`,
  envName: (i) => `E${i}`,
  ip: addressOf,
  quantity: (i) => `${i + 1}`,
  duration: (i) => `${i + 1}s`,
  time: timeOf,
  absolutePath: (i) => `/e${i}`,
  relativePath: (i) => `e${i}`,
  noBacksteps: (i) => `e${i}`,
  fileMode: (i) => i % 512,
  httpHeaderName: (i) => `X-E${i}`,
  portNumberOrName: (i) => (i % 65_535) + 1,
};

const scalars: Readonly<Record<ScalarKind, (i: number) => unknown>> = {
  string: (i) => `e${i}`,
  int32: (i) => (i % 65_535) + 1,
  int64: (i) => (i % 65_535) + 1,
  bool: () => true,
  double: (i) => i + 0.5,
  bytes: (i) => Buffer.from(`e${i}`).toString("base64"),
  any: (i) => ({ a: i }),
  time: timeOf,
  microTime: (i) => timeOf(i).replace("Z", ".000000Z"),
  duration: (i) => `${i + 1}s`,
  quantity: (i) => `${i + 1}`,
  intOrString: (i) => (i % 65_535) + 1,
  raw: (i) => ({ kind: "Thing", apiVersion: "example.com/v1", a: i }),
  fieldsV1: (i) => ({ "f:data": { [`f:e${i}`]: {} } }),
};

/** A value of a type: valid as far as the type tells, unless the shape says otherwise. */
export function sampleOf(type: Type, wish: Wish): unknown {
  if (wish.shape === "equal" && wish.index !== 0) return sampleOf(type, { ...wish, index: 0 });
  if (wish.shape === "mistyped") return type.kind === "list" ? wish.index : [wish.index];
  switch (type.kind) {
    case "message":
      return messageOf(type, wish);
    case "list":
      return [sampleOf(type.item, wish)];
    case "map":
      return { [keyOf(wish.field, wish)]: sampleOf(type.value, wish) };
    case "either": {
      const [first] = type.alternatives;
      return first === undefined ? {} : sampleOf(first.type, wish);
    }
    default:
      return scalarOf(type.kind, wish);
  }
}

function scalarOf(kind: ScalarKind, { index, shape, field, check }: Wish): unknown {
  const closed = field?.values ?? check?.oneOf;
  if (shape === "wrong") return kind === "int32" || kind === "int64" ? -1 - index : wrongText(kind, index);
  if (closed !== undefined && kind === "string") return closed[index % closed.length];
  const { format } = check ?? {};
  const made = format === undefined || (kind !== "string" && kind !== "int32") ? scalars[kind] : byFormat[format];
  return made(index);
}

function wrongText(kind: ScalarKind, index: number): unknown {
  if (kind === "string" || kind === "intOrString") return `No Such ${index}!`;
  return scalars[kind](index);
}

/** Fields that make an element one of its own, or that it can not be without. */
const usual: ReadonlySet<string> = new Set(["name", "key", "type", "kind", "operator", "uid", "apiVersion", "image"]);

function messageOf(type: MessageType, wish: Wish): Readonly<Record<string, unknown>> {
  const special = specials.get(type.name);
  if (special !== undefined && wish.shape !== "wrong") return special(wish.index);
  const wanted = [...type.byName].filter(([name, field]) => {
    if (type.object && (name === "kind" || name === "apiVersion")) return false;
    const scalar = field.type.kind === "string" || field.type.kind === "intOrString";
    return field.required || field.check?.required !== undefined || (usual.has(name) && scalar);
  });
  const own = wanted.map(([name, field]): [string, unknown] => [name, fieldSample(field, wish)]);
  const extra = wish.shape === "unknown" ? [[`unknown${wish.index}`, 1] as const] : [];
  return Object.fromEntries([...own, ...extra]);
}

function fieldSample(field: Field, wish: Wish): unknown {
  const check = field.type.kind === "list" || field.type.kind === "map" ? field.check?.items : field.check;
  const shape = wish.shape === "unknown" ? "distinct" : wish.shape;
  return sampleOf(field.type, { ...wish, shape, field, check });
}

/** Messages whose members say something together. */
const specials: ReadonlyMap<string, (i: number) => Readonly<Record<string, unknown>>> = new Map([
  ["meta/v1.ManagedFieldsEntry", managedBy],
  ["meta/v1.OwnerReference", (i) => ({ apiVersion: "v1", kind: "Thing", name: `e${i}`, uid: `u${i}` })],
]);

/** By turns of an update and of an apply. */
function managedBy(i: number): Readonly<Record<string, unknown>> {
  const operation = i % 2 === 0 ? "Update" : "Apply";
  const owned = { "f:metadata": { "f:labels": { [`f:e${i}`]: {} } } };
  return { manager: `m${i}`, operation, apiVersion: "v1", time: timeOf(i), fieldsType: "FieldsV1", fieldsV1: owned };
}

/** Of a map's entry. */
export function keyOf(field: Field | undefined, { index, shape }: Pick<Wish, "index" | "shape">): string {
  if (shape === "wrong") return `no key ${index}!`;
  const format = field?.check?.keys?.format;
  const key = format === undefined ? undefined : byFormat[format](index);
  return typeof key === "string" ? key : `e${index}`;
}

function timeOf(i: number): string {
  return new Date((1_700_000_000 + i) * 1000).toISOString().replace(".000Z", "Z");
}

function addressOf(i: number): string {
  return `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
}
