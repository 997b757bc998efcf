import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { isJsonObject, type JsonObject } from "./json.js";

/**
 * Reads a configuration file's tree strictly: what is of the wrong type or unknown becomes a problem and is read as
 * absent. As in the reference null is absent too. A path is empty at the root.
 */
export interface ConfigReader {
  readonly problems: readonly string[];
  object(at: string, value: unknown, fields: readonly string[]): JsonObject;
  list(at: string, value: unknown): readonly unknown[];
  /** Empty where absent. */
  string(at: string, value: unknown): string;
  optionalString(at: string, value: unknown): string | undefined;
  /** False where absent. */
  boolean(at: string, value: unknown): boolean;
}

export function createConfigReader(): ConfigReader {
  const problems: string[] = [];
  const absent = (value: unknown): boolean => value === undefined || value === null;
  // The value is not shown: a key that stands where it does not belong must not reach the log.
  const wrong = (at: string, wanted: string): void => {
    problems.push(`${at === "" ? "the file" : at}: must be ${wanted}`);
  };
  const optionalString = (at: string, value: unknown): string | undefined => {
    if (typeof value === "string") return value;
    if (!absent(value)) wrong(at, "a string");
    return undefined;
  };
  return {
    problems,
    object(at, value, fields) {
      if (absent(value)) return {};
      if (!isJsonObject(value)) {
        wrong(at, "an object");
        return {};
      }
      for (const name of Object.keys(value)) {
        if (!fields.includes(name)) problems.push(`unknown field ${JSON.stringify(child(at, name))}`);
      }
      return value;
    },
    list(at, value) {
      if (Array.isArray(value)) return value;
      if (!absent(value)) wrong(at, "a list");
      return [];
    },
    string: (at, value) => optionalString(at, value) ?? "",
    optionalString,
    boolean(at, value) {
      if (typeof value === "boolean") return value;
      if (!absent(value)) wrong(at, "true or false");
      return false;
    },
  };
}

/** Problems of the `apiVersion` and `kind` that open a configuration file. */
export function typeMetaErrors(
  given: { readonly apiVersion: string; readonly kind: string },
  wanted: { readonly apiVersions: readonly string[]; readonly kind: string },
): FieldError[] {
  const check = (at: string, value: string, known: readonly string[]): FieldError[] => {
    if (value === "") return [fieldError.required(at)];
    return known.includes(value) ? [] : [fieldError.notSupported(at, value, known)];
  };
  return [...check("apiVersion", given.apiVersion, wanted.apiVersions), ...check("kind", given.kind, [wanted.kind])];
}

/** `jwt[0].issuer.url: Required value: URL is required`. */
export const problemText = (error: FieldError): string => `${error.field}: ${error.message}`;

const child = (at: string, name: string): string => (at === "" ? name : `${at}.${name}`);
