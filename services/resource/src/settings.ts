import type { Parsed } from "@orch/auth/parsed.js";
import type { FeatureGates } from "@orch/runtime/feature-gates.js";
import type { FlagValues } from "@orch/runtime/flags.js";
import { type AdmissionSettings, admissionSettings } from "./admission/flags.js";
import { allocationConfig } from "./allocation/flags.js";
import type { AllocationConfig } from "./allocation/service-allocation.js";
import type { resourceFlags } from "./flags.js";
import { tokenSettings } from "./token-flags.js";
import type { TokenSettings } from "./token-request.js";

/** What the flags and gates say. */
export interface ResourceSettings {
  readonly eventTtlMs: number;
  /** CBOR is read and written (gate CBORServingAndStorage). */
  readonly cbor: boolean;
  /** What services are given. */
  readonly allocation: AllocationConfig;
  /** Tokens of service accounts; undefined where nobody signs any. */
  readonly tokens: TokenSettings | undefined;
  readonly admission: AdmissionSettings;
}

/** The authorization flags are read by libs/access. `read` gives a file's text. */
export function resourceSettings(
  values: Omit<FlagValues<typeof resourceFlags>, "advertise-address">,
  { gates, read }: { readonly gates: FeatureGates; readonly read: (path: string) => string },
): Parsed<ResourceSettings> {
  const tokens = tokenSettings(values, read);
  const admission = admissionSettings(values);
  if (!tokens.ok || !admission.ok) {
    return { ok: false, problems: [tokens, admission].flatMap((part) => (part.ok ? [] : part.problems)) };
  }
  return {
    ok: true,
    value: {
      eventTtlMs: values["event-ttl"],
      cbor: gates.enabled("CBORServingAndStorage"),
      allocation: allocationConfig(values),
      tokens: tokens.value,
      admission: admission.value,
    },
  };
}
