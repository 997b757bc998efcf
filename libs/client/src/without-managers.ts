import { endOf, jsonTape } from "@orch/codec/json-tape.js";
import type { ApiObject } from "./objects.js";

/** What is kept of an object where nobody asks whose fields they are: they are a third of it and more. */
export function withoutManagers({ metadata: { managedFields: _fields, ...metadata }, ...rest }: ApiObject): ApiObject {
  return { ...rest, metadata };
}

/** No JSON has these bytes within a string, where quotes are escaped. */
const fields = Buffer.from(',"managedFields":[');

/**
 * The JSON of an event that shows metadata, without its managed fields, which may be nearly all of a megabyte: finding where they
 * end costs less than reading them. As it is where they are not found.
 */
export function eventWithoutManagers(line: Buffer): Buffer {
  const from = line.indexOf(fields);
  if (from < 0) return line;
  const to = jsonTape(line, from + fields.length - 1)?.numbers[endOf];
  return to === undefined ? line : Buffer.concat([line.subarray(0, from), line.subarray(to)]);
}
