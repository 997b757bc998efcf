import { equalJson } from "@orch/schema/equal.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { immutable, nothing } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";

interface TokenRequest {
  readonly audience?: string;
  readonly expirationSeconds?: number;
}

interface CsiDriver extends ApiObject {
  readonly spec?: {
    readonly attachRequired?: boolean;
    readonly volumeLifecycleModes?: readonly string[];
    readonly tokenRequests?: readonly TokenRequest[];
  };
}

const modes = ["Persistent", "Ephemeral"];
const tenMinutes = 600;
const maxSeconds = 2 ** 32;

export const csiDriver = behavior<CsiDriver>(() => ({
  // The generation counts updates alone: a new driver has none.
  prepareForCreate: (object) => {
    const { generation, ...metadata } = object.metadata;
    return { ...object, metadata };
  },
  validate: ({ spec = {} }) => [
    ...validateTokens(spec.tokenRequests ?? [], "spec.tokenRequests"),
    ...(spec.volumeLifecycleModes ?? [])
      .filter((mode) => !modes.includes(mode))
      .map((mode) => fieldError.notSupported("spec.volumeLifecycleModes", mode, modes)),
  ],
  validateUpdate: ({ spec = {} }, { spec: old = {} }) => [
    // The reference's own path for this field.
    ...unchanged("spec.attachedRequired", spec.attachRequired, old.attachRequired),
    ...unchanged("spec.volumeLifecycleModes", spec.volumeLifecycleModes, old.volumeLifecycleModes),
  ],
}));

function unchanged(at: string, value: unknown, before: unknown): FieldError[] {
  return equalJson(value, before) ? [] : [fieldError.invalid(at, value ?? nothing, immutable)];
}

/** Each audience once; what is wrong with a repeated one besides is not told. */
function validateTokens(tokens: readonly TokenRequest[], at: string): FieldError[] {
  const repeats = repeatsIn(tokens.map(({ audience = "" }) => audience));
  return tokens.flatMap(({ audience = "", expirationSeconds: seconds }, i) => {
    if (repeats.has(i)) return [fieldError.duplicate(`${at}[${i}].audience`, audience)];
    const wrong = (detail: string) => [fieldError.invalid(`${at}[${i}].expirationSeconds`, seconds, detail)];
    if (seconds === undefined) return [];
    if (seconds < tenMinutes) return wrong("may not specify a duration less than 10 minutes");
    return seconds > maxSeconds ? wrong("may not specify a duration larger than 2^32 seconds") : [];
  });
}
