import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { compareSemanticVersions, parseSemanticVersion } from "../shared/semantic-version.js";
import { oldestEmulationVersion, validateLeaseStrategy } from "./lease-strategy.js";

export interface LeaseCandidate extends ApiObject {
  readonly spec?: {
    readonly binaryVersion?: string;
    readonly emulationVersion?: string;
    readonly strategy?: string;
  };
}

/** Names that are needed and what cannot change are data. */
export const leaseCandidate = behavior<LeaseCandidate>(() => ({
  validate: ({ spec: { binaryVersion = "", emulationVersion = "", strategy = "" } = {} }) => {
    const needsEmulation = strategy === oldestEmulationVersion && isZero(emulationVersion);
    const needed = "must be specified when `strategy` is 'OldestEmulationVersion'";
    return [
      ...validateVersion(emulationVersion, "spec.emulationVersion"),
      ...validateVersion(binaryVersion, "spec.binaryVersion"),
      ...(comesBefore(binaryVersion, emulationVersion)
        ? [
            fieldError.invalid(
              "spec.binaryVersion",
              binaryVersion,
              "must be greater than or equal to `emulationVersion`",
            ),
          ]
        : []),
      ...(needsEmulation ? [fieldError.required("spec.emulationVersion", needed)] : []),
      ...(strategy === "" ? [] : validateLeaseStrategy(strategy, "spec.strategy")),
    ];
  },
}));

function validateVersion(text: string, at: string): FieldError[] {
  return text === "" || parseSemanticVersion(text) !== undefined
    ? []
    : [fieldError.invalid(at, text, "must be a valid semantic version")];
}

const zero = { numbers: [0, 0, 0], prerelease: [] };

/** What cannot be read counts as 0.0.0. */
function comesBefore(binary: string, emulation: string): boolean {
  if (binary === "" || emulation === "") return false;
  return compareSemanticVersions(parseSemanticVersion(binary) ?? zero, parseSemanticVersion(emulation) ?? zero) < 0;
}

function isZero(version: string): boolean {
  return compareSemanticVersions(parseSemanticVersion(version) ?? zero, zero) === 0;
}
