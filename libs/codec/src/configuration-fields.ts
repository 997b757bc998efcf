import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { durationMs } from "@orch/schema/formats/duration.js";

/** An object of a configuration file, where it stands, and where problems go: those of strict decoding, none with a value. */
export interface Place {
  readonly fields: JsonObject;
  readonly path: string;
  readonly problems: string[];
}

const pathOf = ({ path }: Place, name: string): string => (path === "" ? name : `${path}.${name}`);

export function checkNames(place: Place, names: readonly string[]): void {
  for (const name of Object.keys(place.fields)) {
    if (!names.includes(name)) place.problems.push(`unknown field ${JSON.stringify(pathOf(place, name))}`);
  }
}

/** An object in another; undefined where there is none. */
export function inner(place: Place, name: string, names: readonly string[]): Place | undefined {
  const value = place.fields[name] ?? undefined;
  if (value === undefined) return undefined;
  if (!isObject(value)) {
    place.problems.push(`${pathOf(place, name)}: must be an object`);
    return undefined;
  }
  const found: Place = { fields: value, path: pathOf(place, name), problems: place.problems };
  checkNames(found, names);
  return found;
}

function list(place: Place, name: string): readonly unknown[] {
  const value = place.fields[name] ?? [];
  if (Array.isArray(value)) return value;
  place.problems.push(`${pathOf(place, name)}: must be a list`);
  return [];
}

export function objects(place: Place, name: string): readonly Place[] {
  return list(place, name).flatMap((entry, i): readonly Place[] => {
    const path = `${pathOf(place, name)}[${i}]`;
    if (isObject(entry)) return [{ fields: entry, path, problems: place.problems }];
    place.problems.push(`${path}: must be an object`);
    return [];
  });
}

export function texts(place: Place, name: string): readonly string[] {
  return list(place, name).map((entry, i) => {
    if (typeof entry === "string") return entry;
    place.problems.push(`${pathOf(place, name)}[${i}]: must be a string`);
    return "";
  });
}

/** A secret may stand in the wrong field: no value is shown. */
export function text(place: Place, name: string): string {
  const value = place.fields[name] ?? "";
  if (typeof value === "string") return value;
  place.problems.push(`${pathOf(place, name)}: must be a string`);
  return "";
}

export function wholeNumber(place: Place, name: string): number | undefined {
  const value = place.fields[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 31) return value;
  place.problems.push(`${pathOf(place, name)}: must be a number of 32 bits`);
  return undefined;
}

/** In milliseconds. */
export function duration(place: Place, name: string): number | undefined {
  const value = text(place, name);
  if (value === "") return undefined;
  const ms = durationMs(value);
  if (ms === undefined) place.problems.push(`time: invalid duration ${JSON.stringify(value)}`);
  return ms;
}
