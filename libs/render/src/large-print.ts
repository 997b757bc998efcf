import type { Catalog } from "@orch/api/catalog.js";
import type { DefinitionText } from "@orch/api/custom/definition-text.js";
import { withMetadata } from "@orch/api/object.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";
import { parseForm } from "./form.js";
import type { Renderers } from "./renderers.js";

/**
 * What a renderer is to make of an object in its stored version that is large: as a message, so that a thread can do it.
 * `bytes` are the object's JSON, `now` the time in milliseconds since 1970.
 */
export interface LargePrint {
  readonly bytes: Uint8Array;
  readonly apiVersion: string;
  readonly kind: string;
  /** Of a kind that is not built in. */
  readonly definition: DefinitionText | undefined;
  readonly subresource: string;
  readonly form: string;
  readonly now: number;
}

export interface LargePrintDeps {
  readonly catalogs: (definition: DefinitionText | undefined) => Catalog;
  readonly renderers: Renderers;
}

/** The bytes of the piece. */
export function printLarge(print: LargePrint, { catalogs, renderers }: LargePrintDeps): Buffer {
  const { buffer, byteOffset, byteLength } = print.bytes;
  const value: JsonObject = readJson(Buffer.from(buffer, byteOffset, byteLength).toString("utf8"));
  const kind = catalogs(print.definition).kind(print.apiVersion, print.kind);
  const form = parseForm(print.form);
  if (kind === undefined || form === undefined) {
    throw new TypeError(`no form ${print.form} of ${print.apiVersion} ${print.kind}`);
  }
  return renderers.of(kind, form, print.subresource).piece(withMetadata(value)).at(print.now);
}
