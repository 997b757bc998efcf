import { formatName } from "../libraries/format.js";
import { ApplyValue, PatchValue } from "../libraries/json-patch.js";
import { CidrValue, IpValue, prefixText } from "../libraries/net.js";
import { quantityText } from "../libraries/quantity.js";
import { semverText } from "../libraries/semver.js";
import { UrlValue } from "../libraries/urls.js";
import { ObjectValue } from "../schema/values.js";
import { formatAddress } from "../values/address.js";
import { elementsOf } from "../values/collections.js";
import { formatDuration, formatTimestamp } from "../values/time.js";
import { formatUrl } from "../values/url.js";
import {
  Double,
  Duration,
  ListValue,
  MapValue,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../values/value.js";

/** A value as the rows of cases write it: its kind and its data. */
export function renderValue(value: Value): { readonly [kind: string]: unknown } {
  if (value === null) return { null: null };
  if (typeof value === "string") return { string: value };
  if (typeof value === "boolean") return { bool: value };
  if (typeof value === "number" || typeof value === "bigint") return { int: integer(BigInt(value)) };
  if (value instanceof Uint) return { uint: integer(value.value) };
  if (value instanceof Double) return { double: Number.isFinite(value.value) ? value.value : String(value.value) };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") };
  if (value instanceof Duration) return { duration: formatDuration(value) };
  if (value instanceof Timestamp) return { timestamp: formatTimestamp(value, 0) };
  if (value instanceof TypeValue) return { type: value.name };
  if (value instanceof Optional) return { optional: value.value === undefined ? "none" : renderValue(value.value) };
  if (value instanceof ListValue) return { list: [...elementsOf(value)].map(renderValue) };
  if (value instanceof MapValue) return renderMap(value);
  return value instanceof Opaque ? renderOpaque(value) : { error: value.message };
}

function integer(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function renderMap(map: MapValue): { readonly [kind: string]: unknown } {
  if (map instanceof PatchValue) return { jsonpatch: renderPatch(map) };
  if (map instanceof ApplyValue) return { object: renderPlain(map) };
  if (map instanceof ObjectValue) return { object: map.data };
  const pairs = [...map.keys()].map((key) => [renderValue(key), renderValue(map.find(key) ?? null)]);
  pairs.sort((a, b) => (JSON.stringify(a[0]) < JSON.stringify(b[0]) ? -1 : 1));
  return { map: pairs };
}

function renderPatch(patch: PatchValue): { readonly [field: string]: unknown } {
  const fields: { [field: string]: unknown } = {};
  for (const [name, value] of patch.fields) fields[name] = name === "value" ? renderValue(value) : value;
  return fields;
}

/** As the JSON that the object stands for. */
export function renderPlain(value: Value): unknown {
  if (value instanceof ApplyValue) {
    return Object.fromEntries([...value.fields].map(([name, field]) => [name, renderPlain(field)]));
  }
  if (value instanceof ListValue) return [...elementsOf(value)].map(renderPlain);
  if (value instanceof MapValue) {
    return Object.fromEntries([...value.keys()].map((key) => [String(key), renderPlain(value.find(key) ?? null)]));
  }
  if (value instanceof Double) return value.value;
  return Object.values(renderValue(value))[0];
}

function renderOpaque(value: Opaque): { readonly [kind: string]: unknown } {
  const quantity = quantityText(value);
  if (quantity !== undefined) return { quantity };
  if (value instanceof IpValue) return { ip: formatAddress(value.address) };
  if (value instanceof CidrValue) return { cidr: prefixText(value.prefix) };
  if (value instanceof UrlValue) return { url: formatUrl(value.url) };
  const version = semverText(value);
  if (version !== undefined) return { semver: version };
  const format = formatName(value);
  return format === undefined ? { opaque: value.typeName } : { format };
}
