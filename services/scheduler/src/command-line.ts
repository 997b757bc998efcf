import { createNaming } from "@orch/naming/naming.js";
import { clientServiceFlags, serverFlag } from "@orch/runtime/flags/client-service-flags.js";
import { profilingFlag } from "@orch/runtime/flags/profiling-flag.js";
import type { ProgramText, StartedProgram } from "@orch/runtime/start-program.js";
import { pluginFlag, schedulerElection } from "./flags.js";

const flags = {
  ...serverFlag,
  plugin: pluginFlag,
  ...schedulerElection,
  ...profilingFlag(true),
  ...clientServiceFlags,
} as const;

/** What the program is called and takes: all that a help text needs. */
export const commandLine: ProgramText<typeof flags> = {
  name: "orch-scheduler",
  description: "Gives pods their nodes.",
  flags,
  async component(values) {
    const { configurationFile } = await import("./configuration-file.js");
    return configurationFile(createNaming(values["api-dialect"]));
  },
};

export type Started = StartedProgram<typeof flags>;
