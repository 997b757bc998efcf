import { equalJson } from "@orch/schema/equal.js";
import { configKey } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** What ConfigMaps and Secrets share: values by file-like keys, a bound on their total, and freezing. */
export type Data = Readonly<Record<string, string>>;

export const maxDataBytes = 1_048_576;

export function validateKeys(data: Data, at: string): FieldError[] {
  return Object.keys(data).flatMap((key) =>
    configKey(key).map((problem) => fieldError.invalid(`${at}[${key}]`, key, problem)),
  );
}

/** Bytes of UTF-8 text. */
export function textBytes(data: Data): number {
  return Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0);
}

/** Bytes that base64 texts stand for. */
export function decodedBytes(data: Data): number {
  return Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, "base64"), 0);
}

interface Freezable {
  readonly immutable?: boolean;
}

/** Once `immutable` is true, neither it nor the named fields may change. */
export function validateFrozen<T extends Freezable>(
  object: T,
  old: T,
  fields: readonly (keyof T & string)[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const changed = fields.filter((field) => !equalJson(object[field] ?? {}, old[field] ?? {}));
  return [...(object.immutable === true ? [] : ["immutable"]), ...changed].map((field) =>
    fieldError.forbidden(field, "field is immutable when `immutable` is set"),
  );
}
