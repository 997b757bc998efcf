import { validateFieldManager } from "@orch/schema/object-meta.js";
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

/** Whose options they are, in errors. */
interface OptionsOf {
  readonly metaGroup: string;
  readonly kind: OptionsKind;
}

/** @throws ApiError Invalid for values that the reference refuses so */
export function writeOptions(options: Readonly<Record<string, string>>, of: OptionsOf): WriteOptions {
  return checkedOptions(options, of, []);
}

export interface PatchOptions extends WriteOptions {
  /** An apply takes over the fields of others that it conflicts with. */
  readonly force: boolean;
}

/** @throws ApiError Invalid */
export function patchOptions(
  options: Readonly<Record<string, string>>,
  { metaGroup, apply }: { readonly metaGroup: string; readonly apply: boolean },
): PatchOptions {
  const forced = options["force"];
  const errors: FieldError[] = [];
  if (apply && (options["fieldManager"] ?? "") === "") {
    errors.push(fieldError.required("fieldManager", "is required for apply patch"));
  }
  if (!apply && forced !== undefined) {
    errors.push(fieldError.forbidden("force", "may not be specified for non-apply patch"));
  }
  const force = forced !== undefined && forced !== "0" && forced.toLowerCase() !== "false";
  return { ...checkedOptions(options, { metaGroup, kind: "PatchOptions" }, errors), force };
}

function checkedOptions(
  options: Readonly<Record<string, string>>,
  { metaGroup, kind }: OptionsOf,
  found: readonly FieldError[],
): WriteOptions {
  const dryRun = dryRunOf(options);
  const fieldManager = options["fieldManager"] ?? "";
  const validation = options["fieldValidation"] ?? "";
  const errors: FieldError[] = [
    ...found,
    ...dryRunErrors(dryRun),
    ...validateFieldManager(fieldManager, "fieldManager"),
    ...(isValidation(validation) ? [] : [fieldError.notSupported("fieldValidation", validation, validations)]),
  ];
  if (errors.length > 0) throw invalid({ group: metaGroup, kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: isValidation(validation) && validation !== "" ? validation : "Warn",
  };
}

function isValidation(value: string): value is (typeof validations)[number] {
  return (validations as readonly string[]).includes(value);
}

/** The values of `dryRun` in a query: one a line. */
export function dryRunOf(options: Readonly<Record<string, string>>): readonly string[] {
  return options["dryRun"]?.split("\n") ?? [];
}

export function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === "All") ? [] : [fieldError.notSupported("dryRun", dryRun, ["All"])];
}

/** A whole number of a query parameter; undefined when absent. */
export function wholeNumber(options: Readonly<Record<string, string>>, name: string): number | undefined {
  const text = options[name];
  if (text === undefined || text === "") return undefined;
  if (!/^[+-]?\d{1,15}$/.test(text)) throw badRequest(`${name}: parsing ${JSON.stringify(text)}: not a whole number`);
  return Number(text);
}
