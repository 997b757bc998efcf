import { isObject, type JsonObject } from "@orch/schema/descriptor.js";

/** A data file that does not say what it must; the message names the file and the place in it. */
export class DataError extends Error {
  constructor(where: string, what: string) {
    super(`${where}: ${what}`);
    this.name = "DataError";
  }
}

/** Typed reading of one JSON object of a data file. Every key must be asked for or allowed. */
export interface Reader {
  readonly where: string;
  has(key: string): boolean;
  raw(key: string): unknown;
  text(key: string): string;
  optionalText(key: string): string | undefined;
  flag(key: string): boolean;
  optionalNumber(key: string): number | undefined;
  texts(key: string): readonly string[];
  optionalTexts(key: string): readonly string[] | undefined;
  oneOf<const T extends string>(key: string, allowed: readonly T[]): T | undefined;
  object(key: string): Reader | undefined;
  objects(key: string): readonly Reader[];
  entries(): readonly (readonly [string, unknown])[];
}

/** Reads `value` as an object with no keys but `keys` (undefined allows all). */
export function reader(where: string, value: unknown, keys?: readonly string[]): Reader {
  if (!isObject(value)) throw new DataError(where, "expected an object");
  if (keys !== undefined) refuseOthers(where, value, keys);
  const wrong = (key: string, what: string): never => {
    throw new DataError(`${where}.${key}`, what);
  };
  const optionalText = (key: string): string | undefined => {
    const v = value[key];
    return v === undefined || typeof v === "string" ? v : wrong(key, "expected a string");
  };
  const optionalTexts = (key: string): readonly string[] | undefined => {
    const v = value[key];
    if (v === undefined) return undefined;
    if (Array.isArray(v) && v.every((item): item is string => typeof item === "string")) return v;
    return wrong(key, "expected a list of strings");
  };
  return {
    where,
    has: (key) => value[key] !== undefined,
    raw: (key) => value[key],
    text: (key) => optionalText(key) ?? wrong(key, "is missing"),
    optionalText,
    flag: (key) => {
      const v = value[key];
      return v === undefined ? false : typeof v === "boolean" ? v : wrong(key, "expected true or false");
    },
    optionalNumber: (key) => {
      const v = value[key];
      return v === undefined || typeof v === "number" ? v : wrong(key, "expected a number");
    },
    texts: (key) => optionalTexts(key) ?? [],
    optionalTexts,
    oneOf: (key, allowed) => {
      const v = optionalText(key);
      const found = allowed.find((a) => a === v);
      return v !== undefined && found === undefined ? wrong(key, `expected one of ${allowed.join(", ")}`) : found;
    },
    object: (key) => (value[key] === undefined ? undefined : reader(`${where}.${key}`, value[key])),
    objects: (key) => {
      const v: unknown = value[key] ?? [];
      if (!Array.isArray(v)) return wrong(key, "expected a list");
      return v.map((item: unknown, i) => reader(`${where}.${key}[${i}]`, item));
    },
    entries: () => Object.entries(value),
  };
}

export function refuseOthers(where: string, value: JsonObject, keys: readonly string[]): void {
  const other = Object.keys(value).find((key) => !keys.includes(key));
  if (other !== undefined) throw new DataError(`${where}.${other}`, `unknown key; known are ${keys.join(", ")}`);
}
