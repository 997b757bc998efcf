import { createNaming } from "@orch/naming/naming.js";
import { clientServiceFlags, serverFlag } from "@orch/runtime/flags/client-service-flags.js";
import type { ProgramText, StartedProgram } from "@orch/runtime/start-program.js";
import { fieldFlags, runFlags } from "./flags.js";

const shared = clientServiceFlags;

const flags = {
  ...serverFlag,
  ...fieldFlags,
  ...runFlags,
  "log-level": shared["log-level"],
  "logging-format": shared["logging-format"],
  v: shared.v,
  "shutdown-delay-duration": shared["shutdown-delay-duration"],
  "emulated-version": shared["emulated-version"],
  "feature-gates": shared["feature-gates"],
  "show-hidden-metrics-for-version": shared["show-hidden-metrics-for-version"],
  "disabled-metrics": shared["disabled-metrics"],
  "livez-grace-period": shared["livez-grace-period"],
  "api-dialect": shared["api-dialect"],
} as const;

/** What the program is called and takes: all that a help text needs. */
export const commandLine: ProgramText<typeof flags> = {
  name: "orch-proxy",
  description: "Leads what is sent to services to their endpoints, by rules of the node's kernel.",
  flags,
  async component(values) {
    const { configurationFile } = await import("./configuration-file.js");
    return configurationFile(createNaming(values["api-dialect"]), process.platform === "win32");
  },
};

export type Started = StartedProgram<typeof flags>;
