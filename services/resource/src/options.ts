import { badRequest, invalid } from "@orch/status/api-error.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** What a client says about how a write is to be done (spec 1: Query parameters). */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
}

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions";

const validations = ["", "Ignore", "Strict", "Warn"] as const;
const maxManagerBytes = 128;

/** @throws ApiError Invalid for values that the reference refuses so */
export function writeOptions(
  options: Readonly<Record<string, string>>,
  kind: { readonly metaGroup: string; readonly kind: OptionsKind },
): WriteOptions {
  const dryRun = options["dryRun"] ?? "";
  const fieldManager = options["fieldManager"] ?? "";
  const validation = options["fieldValidation"] ?? "";
  const errors: FieldError[] = [
    ...dryRunErrors(dryRun),
    ...managerErrors(fieldManager),
    ...(isValidation(validation) ? [] : [fieldError.notSupported("fieldValidation", validation, validations)]),
  ];
  if (errors.length > 0) throw invalid({ group: kind.metaGroup, kind: kind.kind }, "", errors);
  return {
    dryRun: dryRun !== "",
    fieldManager,
    fieldValidation: isValidation(validation) && validation !== "" ? validation : "Warn",
  };
}

function isValidation(value: string): value is (typeof validations)[number] {
  return (validations as readonly string[]).includes(value);
}

export function dryRunErrors(dryRun: string): FieldError[] {
  const values = dryRun === "" ? [] : dryRun.split(",");
  return values.every((value) => value === "All") ? [] : [fieldError.notSupported("dryRun", values, ["All"])];
}

function managerErrors(manager: string): FieldError[] {
  if (Buffer.byteLength(manager) > maxManagerBytes) return [fieldError.tooLong("fieldManager", maxManagerBytes)];
  const at = [...manager].findIndex((char) => /\p{C}/u.test(char));
  if (at < 0) return [];
  const code = (manager.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return [fieldError.invalid("fieldManager", manager, `invalid character U+${code} (at position ${at})`)];
}

/** A whole number of a query parameter; undefined when absent. */
export function wholeNumber(options: Readonly<Record<string, string>>, name: string): number | undefined {
  const text = options[name];
  if (text === undefined || text === "") return undefined;
  if (!/^[+-]?\d{1,15}$/.test(text)) throw badRequest(`${name}: parsing ${JSON.stringify(text)}: not a whole number`);
  return Number(text);
}
