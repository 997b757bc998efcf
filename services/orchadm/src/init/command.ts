import { command } from "../command-line.js";
import { runPhases } from "../phases/phase.js";
import { phaseCommands, withContext } from "../phases/phase-commands.js";
import { type InitContext, initContext } from "./context.js";
import { initFlags } from "./flags.js";
import { initPhases } from "./phases.js";

/** Of phases that lead to files alone, the last one. */
const lastOfFiles = "kubelet-start";

export const initCommand = command({
  word: "init",
  description: "Makes this machine the first of a cluster's control plane.",
  flags: initFlags,
  commands: [phaseCommands({ flags: initFlags, phases: initPhases, context: initContext })],
  async run(line, tools) {
    await withContext(initContext(line, tools), async (context) => {
      const { naming, print } = tools;
      print(
        `[init] Using ${naming.dialect === "orch" ? "orch" : "Kubernetes"} version: ${context.cluster.orchVersion}\n`,
      );
      const skip = line.given.has("skip-phases") ? line.values["skip-phases"] : context.init.skipPhases;
      await runPhases(phasesFor(context), context, skip);
      if (context.runner.kind === "none" && !context.tools.machine.isDry) {
        print(
          "\n[init] All files are written. Start the manifests, then run the phases from wait-control-plane on:\n  orchadm init --skip-phases preflight,certs,kubeconfig,etcd,control-plane,kubelet-start\n",
        );
      }
    });
    return 0;
  },
});

/** Without a runner nothing is there yet that the later phases could speak to. */
function phasesFor({ runner, tools }: InitContext) {
  if (runner.kind !== "none" || tools.machine.isDry) return initPhases;
  return initPhases.slice(0, initPhases.findIndex(({ name }) => name === lastOfFiles) + 1);
}
