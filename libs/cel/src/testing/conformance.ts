import { renderValue } from "../cases/render.js";
import { type Type, t } from "../check/types.js";
import { createEnvironment } from "../environment.js";
import { analyze, makeProgram } from "../program.js";
import { ArrayList, mapOf } from "../values/collections.js";
import { equal } from "../values/equality.js";
import { toInt } from "../values/numbers.js";
import { parseDuration, parseTimestamp } from "../values/time.js";
import { Double, TypeValue, Uint, type Value } from "../values/value.js";

type Json = unknown;
type JsonObject = { readonly [key: string]: Json };

/** One test of the language's public conformance data, as its package writes it. */
export interface ConformanceTest {
  readonly original: JsonObject & { readonly name?: string; readonly expr: string };
}

export interface ConformanceSuite {
  readonly name: string;
  readonly suites?: readonly ConformanceSuite[];
  readonly tests?: readonly ConformanceTest[];
}

const object = (value: Json): JsonObject => (typeof value === "object" && value !== null ? (value as JsonObject) : {});
const list = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

/** `held`, or what happened instead. */
export function runConformance({ original }: ConformanceTest): "held" | "compile-error" | "not-applicable" | string {
  const variables = new Map<string, Type>();
  for (const entry of list(original["typeEnv"])) {
    const { name, ident } = object(entry);
    const type = typeOf(object(object(ident)["type"]));
    if (typeof name !== "string" || type === undefined) return "not-applicable";
    variables.set(name, type);
  }
  const values = new Map<string, Value>();
  for (const [name, bound] of Object.entries(object(original["bindings"]))) {
    const value = toValue(object(object(bound)["value"]));
    if (value === undefined) return "not-applicable";
    values.set(name, value);
    if (!variables.has(name)) variables.set(name, t.dyn);
  }
  const env = createEnvironment({ dialect: "kubernetes", variables });
  const analysis = analyze(original.expr, env);
  if (!analysis.ok) return "compile-error";
  const made = makeProgram(original.expr, analysis.checked, { env });
  const wantsError = original["evalError"] !== undefined || original["anyEvalErrors"] !== undefined;
  if (!made.ok) return wantsError ? "held" : "compile-error";
  const outcome = made.program.run((name) => values.get(name));
  if (!outcome.ok) return wantsError ? "held" : `error: ${outcome.error}`;
  if (wantsError) return `no error: ${JSON.stringify(renderValue(outcome.value))}`;
  const typed = object(original["typedResult"])["result"];
  const wanted = original["value"] ?? typed;
  if (wanted === undefined) return outcome.value === true || typed !== undefined ? "held" : "not true";
  const expected = toValue(object(wanted));
  if (expected === undefined) return "not-applicable";
  return same(outcome.value, expected) ? "held" : `got ${JSON.stringify(renderValue(outcome.value))}`;
}

/** Equal, of one type, and NaN like NaN. */
function same(a: Value, b: Value): boolean {
  if (a instanceof Double && b instanceof Double && Number.isNaN(a.value)) return Number.isNaN(b.value);
  return equal(a, b) === true && JSON.stringify(renderValue(a)) === JSON.stringify(renderValue(b));
}

const primitives: Readonly<Record<string, Type>> = {
  BOOL: t.bool,
  INT64: t.int,
  UINT64: t.uint,
  DOUBLE: t.double,
  STRING: t.string,
  BYTES: t.bytes,
};

function typeOf(type: JsonObject): Type | undefined {
  if (typeof type["primitive"] === "string") return primitives[type["primitive"]];
  if (typeof type["wrapper"] === "string") return primitives[type["wrapper"]];
  if ("dyn" in type) return t.dyn;
  if ("null" in type) return t.null;
  if (type["wellKnown"] === "TIMESTAMP") return t.timestamp;
  if (type["wellKnown"] === "DURATION") return t.duration;
  if (type["wellKnown"] === "ANY") return t.any;
  if ("listType" in type) {
    const element = typeOf(object(object(type["listType"])["elemType"]));
    return element && t.list(element);
  }
  if ("mapType" in type) {
    const map = object(type["mapType"]);
    const key = typeOf(object(map["keyType"]));
    const value = typeOf(object(map["valueType"]));
    return key && value && t.map(key, value);
  }
  return undefined;
}

function toValue(value: JsonObject): Value | undefined {
  const [entry] = Object.entries(value);
  if (entry === undefined) return undefined;
  const [kind, data] = entry;
  switch (kind) {
    case "nullValue":
      return null;
    case "boolValue":
      return data === true;
    case "int64Value":
      return toInt(BigInt(String(data)));
    case "uint64Value":
      return new Uint(BigInt(String(data)));
    case "doubleValue":
      return new Double(Number(data));
    case "stringValue":
      return String(data);
    case "bytesValue":
      return new Uint8Array(Buffer.from(String(data), "base64"));
    case "typeValue":
      return new TypeValue(String(data));
    case "listValue":
      return collect(list(object(data)["values"]));
    case "mapValue":
      return mapValue(list(object(data)["entries"]));
    case "objectValue":
      return objectValue(object(data));
    default:
      return undefined;
  }
}

function collect(items: readonly Json[]): Value | undefined {
  const values = items.map((item) => toValue(object(item)));
  return values.includes(undefined) ? undefined : new ArrayList(values.map((value) => value ?? null));
}

function mapValue(entries: readonly Json[]): Value | undefined {
  const pairs: (readonly [Value, Value])[] = [];
  for (const entry of entries) {
    const key = toValue(object(object(entry)["key"]));
    const value = toValue(object(object(entry)["value"]));
    if (key === undefined || value === undefined) return undefined;
    pairs.push([key, value]);
  }
  return mapOf(pairs);
}

function objectValue(data: JsonObject): Value | undefined {
  const type = String(data["@type"] ?? "");
  const text = String(data["value"] ?? "");
  if (type.endsWith("google.protobuf.Timestamp")) return parseTimestamp(text);
  if (type.endsWith("google.protobuf.Duration")) return parseDuration(text);
  return undefined;
}
