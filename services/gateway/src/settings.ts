import type { FeatureGates } from "@orch/runtime/feature-gates.js";
import type { FlagValues } from "@orch/runtime/flags.js";
import type { ServingSettings } from "./assemble.js";
import type { servingFlags } from "./flags.js";

/** The serving flags' values as settings; what comes from files is the caller's to add. */
export function servingSettings(
  values: FlagValues<typeof servingFlags>,
  gates: FeatureGates,
): Omit<ServingSettings, "tokens" | "tls"> {
  return {
    bindAddress: values["bind-address"],
    port: values["secure-port"],
    requestTimeoutMs: values["request-timeout"],
    minRequestTimeoutMs: values["min-request-timeout"],
    shutdownGraceMs: values["shutdown-grace-duration"],
    cbor: gates.enabled("CBORServingAndStorage"),
    anonymousAuth: values["anonymous-auth"],
    alwaysAllowPaths: values["authorization-always-allow-paths"],
  };
}
