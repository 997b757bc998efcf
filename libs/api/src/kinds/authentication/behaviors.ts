import { fieldError } from "@orch/status/field-error.js";
import { type Behaviors, behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";

interface TokenRequest extends ApiObject {
  readonly spec?: { readonly expirationSeconds?: number };
}

const defaultSeconds = 3600;
const minSeconds = 600;
const maxSeconds = 2 ** 32;

const tokenRequest = behavior<TokenRequest>(() => ({
  setDefaults: (object) => ({
    ...object,
    spec: { ...object.spec, expirationSeconds: object.spec?.expirationSeconds ?? defaultSeconds },
  }),
  validate: ({ spec }) => {
    const at = "spec.expirationSeconds";
    const seconds = spec?.expirationSeconds ?? 0;
    if (seconds < minSeconds) {
      return [fieldError.invalid(at, seconds, "may not specify a duration less than 10 minutes")];
    }
    if (seconds <= maxSeconds) return [];
    return [fieldError.invalid(at, seconds, "may not specify a duration larger than 2^32 seconds")];
  },
}));

export const authenticationBehaviors: Behaviors = [["authentication/v1.TokenRequest", tokenRequest]];
