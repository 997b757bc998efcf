import { clientServiceFlags, serverFlag } from "@orch/runtime/flags/client-service-flags.js";
import { intFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { ProgramText, StartedProgram } from "@orch/runtime/start-program.js";
import { simulationFlags } from "./flags.js";

const flags = {
  ...serverFlag,
  nodes: intFlag(3, { group: "Nodes", min: 0, max: 20_000, help: "how many nodes there are" }),
  "node-name": stringFlag("", {
    group: "Nodes",
    word: "name",
    help: "the one node that is played, by a client that has the rights of its agent and no others; takes the place of nodes and node-prefix",
  }),
  ...simulationFlags,
  ...clientServiceFlags,
} as const;

/** What the program is called and takes: all that a help text needs. */
export const commandLine: ProgramText<typeof flags> = {
  name: "orch-node-simulator",
  description: "Plays the agents of any number of nodes. Nothing runs on them: pods only look as if they did.",
  flags,
};

export type Started = StartedProgram<typeof flags>;
