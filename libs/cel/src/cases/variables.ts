import { type Type, t } from "../check/types.js";
import { quantityOf } from "../libraries/quantity.js";
import { dynamicValue } from "../schema/dynamic.js";
import { ArrayList, mapOf } from "../values/collections.js";
import { parseDuration, parseTimestamp } from "../values/time.js";
import { CelError, Double, Duration, none, Optional, Uint, type Value } from "../values/value.js";

/** A variable as a row declares it: `list(int)`, `map(string, dyn)`, `optional(int)`, `Quantity`, … */
export interface VariableRow {
  readonly type: string;
  readonly value: unknown;
}

const simple: Readonly<Record<string, Type>> = {
  dyn: t.dyn,
  any: t.any,
  bool: t.bool,
  int: t.int,
  uint: t.uint,
  double: t.double,
  string: t.string,
  bytes: t.bytes,
  null: t.null,
  timestamp: t.timestamp,
  duration: t.duration,
};

/** The type that a row names; undefined where the text is none. */
export function parseType(text: string, domain: string): Type | undefined {
  const known = simple[text];
  if (known !== undefined) return known;
  if (text === "Quantity") return t.struct(`${domain}.Quantity`);
  const open = text.indexOf("(");
  if (open === -1 || !text.endsWith(")")) return undefined;
  const parts = splitParts(text.slice(open + 1, -1)).map((part) => parseType(part, domain));
  const [first, second] = parts;
  switch (text.slice(0, open)) {
    case "list":
      return first && t.list(first);
    case "optional":
      return first && t.optional(first);
    case "map":
      return first && second && t.map(first, second);
    default:
      return undefined;
  }
}

function splitParts(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth += 1;
    if (text[i] === ")") depth -= 1;
    if (text[i] !== "," || depth > 0) continue;
    parts.push(text.slice(start, i).trim());
    start = i + 1;
  }
  parts.push(text.slice(start).trim());
  return parts;
}

const wrong = (type: Type): CelError => new CelError(`the value of a variable is no ${type.kind}`);

/** JSON as a value of a type. */
export function typedValue(type: Type, data: unknown, domain: string): Value {
  const text = typeof data === "string" ? data : undefined;
  switch (type.kind) {
    case "int":
      return text === undefined ? dynamicValue(data) : BigInt(text);
    case "uint":
      return new Uint(BigInt(typeof data === "number" ? data : (text ?? 0)));
    case "double":
      return new Double(Number(data));
    case "bytes":
      return new Uint8Array(Buffer.from(text ?? "", "base64"));
    case "timestamp":
      return parseTimestamp(text ?? "") ?? wrong(type);
    case "duration":
      return parseDuration(text ?? "") ?? new Duration(0n);
    case "struct":
      return quantityOf(domain, text ?? "");
    case "list":
      if (!Array.isArray(data)) return wrong(type);
      return new ArrayList(data.map((item) => typedValue(type.element, item, domain)));
    case "map":
      if (typeof data !== "object" || data === null) return wrong(type);
      return mapOf(Object.entries(data).map(([key, value]) => [key, typedValue(type.value, value, domain)]));
    case "opaque":
      return data === null ? none : new Optional(typedValue(type.params[0] ?? t.dyn, data, domain));
    default:
      return dynamicValue(data);
  }
}
