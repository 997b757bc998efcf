import { validateFieldManager } from "@orch/schema/object-meta.js";
import { invalid } from "@orch/status/api-error.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** What a client says about how a write is to be done (rules: Query parameters). */
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

/** Of writes whose options have found problems of their own. @throws ApiError Invalid with all of them */
export function checkedOptions(
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
