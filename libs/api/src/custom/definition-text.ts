import type { AnyObject } from "../object.js";

/** A definition as a message to a thread; its memory is shared, not copied. */
export interface DefinitionText {
  readonly name: string;
  readonly revision: number;
  /** JSON of the object in its stored version. */
  readonly json: Uint8Array;
}

export function definitionText({
  metadata: { name = "", resourceVersion = "0" },
  ...object
}: AnyObject): DefinitionText {
  const text = Buffer.from(JSON.stringify({ ...object, metadata: { name, resourceVersion } }));
  const json = new Uint8Array(new SharedArrayBuffer(text.length));
  json.set(text);
  return { name, revision: Number(resourceVersion), json };
}
