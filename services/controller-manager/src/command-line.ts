import { createNaming } from "@orch/naming/naming.js";
import { stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { ProgramText, StartedProgram } from "@orch/runtime/start-program.js";
import { managerFlags } from "./flags.js";
import { programFlags } from "./program/flags.js";

const flags = {
  ...programFlags,
  ...managerFlags,
  "service-cluster-ip-range": stringFlag("", {
    ...{ group: "Controllers", word: "cidr[,cidr]" },
    help: "ranges of the addresses of services: nodes are given no part of them",
  }),
} as const;

/** What the program is called and takes: all that a help text needs. */
export const commandLine: ProgramText<typeof flags> = {
  name: "orch-controller-manager",
  description: "Runs the control loops: garbage collection, removal of namespaces, service accounts.",
  flags,
  async component(values) {
    const { configurationFile } = await import("./configuration-file.js");
    return configurationFile(createNaming(values["api-dialect"]));
  },
};

export type Started = StartedProgram<typeof flags>;
