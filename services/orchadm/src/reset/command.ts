import { command } from "../command-line.js";
import { runPhases } from "../phases/phase.js";
import { phaseCommands, withContext } from "../phases/phase-commands.js";
import { resetFlags } from "./flags.js";
import { resetContext, resetPhases } from "./phases.js";

export const resetCommand = command({
  word: "reset",
  description: "Takes back what init or join have made of this machine.",
  flags: resetFlags,
  commands: [phaseCommands({ flags: resetFlags, phases: resetPhases, context: resetContext })],
  async run(line, tools) {
    await withContext(resetContext(line, tools), (context) =>
      runPhases(resetPhases, context, context.reset.skipPhases),
    );
    tools.print(`
The reset process does not clean rules of the network: iptables, nftables and IPVS keep what the proxy wrote.
Clean them by "orch proxy --cleanup".

The reset process does not clean your client configuration files: please check $HOME/.kube and remove what is not wanted.
`);
    return 0;
  },
});
