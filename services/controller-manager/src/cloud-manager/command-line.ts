import { createNaming } from "@orch/naming/naming.js";
import type { ProgramText, StartedProgram } from "@orch/runtime/start-program.js";
import { programFlags } from "../program/flags.js";
import { cloudManagerFlags } from "./flags.js";

const flags = { ...programFlags, ...cloudManagerFlags } as const;

/** What the program is called and takes: all that a help text needs. */
export const commandLine: ProgramText<typeof flags> = {
  name: "orch-cloud-controller-manager",
  description: "Runs the control loops that speak to a cloud: what nodes are there, routes to them, balancers.",
  flags,
  async component(values) {
    const { configurationFile } = await import("./configuration-file.js");
    return configurationFile(createNaming(values["api-dialect"]));
  },
};

export type Started = StartedProgram<typeof flags>;
