import type { Dialect } from "@orch/naming/naming.js";
import { deviceEnvironment } from "./kinds.js";
import { quantityOf } from "./libraries/quantity.js";
import { semverOf } from "./libraries/semver.js";
import { compileExpression } from "./program.js";
import { dynamicValue } from "./schema/dynamic.js";
import { EntryMap, keyOf, mapOf } from "./values/collections.js";
import { type MapValue, typeNameOf, type Value } from "./values/value.js";

/** A device as selectors see it. */
export interface DeviceFacts {
  readonly driver?: unknown;
  /** `name` or `domain/name` → one of `int`, `bool`, `string`, `version`. */
  readonly attributes?: unknown;
  /** `name` or `domain/name` → `value`, a quantity. */
  readonly capacity?: unknown;
}

/** What came of a selector: whether it chooses the device, or what is wrong with it. */
export type DeviceSelection =
  | { readonly ok: true; readonly matches: boolean }
  | { readonly ok: false; readonly error: string };

/** What the evaluation of a selector may cost. */
const selectorCost = 1_000_000;

/** A selector of devices, compiled; one that cannot be read has the same error for every device. */
export function compileDeviceSelector(text: string, dialect: Dialect): (device: DeviceFacts) => DeviceSelection {
  const made = compileExpression(text, deviceEnvironment(dialect).env);
  if (!made.ok) return () => ({ ok: false, error: made.display });
  return (device) => {
    const value = deviceValue(device, dialect);
    const outcome = made.program.run(() => value, { limit: selectorCost });
    if (!outcome.ok) return { ok: false, error: outcome.error };
    if (typeof outcome.value === "boolean") return { ok: true, matches: outcome.value };
    return { ok: false, error: `CEL result of type ${typeNameOf(outcome.value)} could not be converted to bool` };
  };
}

type Fields = { readonly [key: string]: unknown };
const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});

/** A map that gives an empty one where it has no entry. */
class DomainMap extends EntryMap {
  override find(key: Value): Value | undefined {
    return this.entries.get(keyOf(key))?.[1] ?? none;
  }
}
const none = mapOf([]);

/** The variable `device`: names without a domain are in that of the driver. */
export function deviceValue(device: DeviceFacts, dialect: Dialect): MapValue {
  const driver = String(device.driver ?? "");
  const grouped = (entries: unknown, read: (value: Fields) => Value): Value => {
    const domains = new Map<string, (readonly [Value, Value])[]>();
    for (const [name, value] of Object.entries(fieldsOf(entries))) {
      const slash = name.indexOf("/");
      const domain = slash === -1 ? driver : name.slice(0, slash);
      domains.set(domain, [...(domains.get(domain) ?? []), [name.slice(slash + 1), read(fieldsOf(value))]]);
    }
    return new DomainMap(mapOf([...domains].map(([domain, pairs]) => [domain, mapOf(pairs)])).entries);
  };
  return mapOf([
    ["driver", driver],
    ["attributes", grouped(device.attributes, (value) => attributeOf(value, dialect))],
    ["capacity", grouped(device.capacity, (value) => quantityOf(dialect, String(value["value"] ?? "")))],
  ]);
}

function attributeOf(value: Fields, dialect: Dialect): Value {
  if (typeof value["version"] === "string") return semverOf(dialect, value["version"]);
  return dynamicValue(value["int"] ?? value["bool"] ?? value["string"] ?? null);
}
