import { command } from "../command-line.js";
import { runPhases } from "../phases/phase.js";
import { phaseCommands, withContext } from "../phases/phase-commands.js";
import { joinContext } from "./context.js";
import { joinFlags } from "./flags.js";
import { joinPhases } from "./phases.js";

export const joinCommand = command({
  word: "join",
  description: "Makes this machine a node of a cluster, or with --control-plane one more of its control plane.",
  flags: joinFlags,
  takes: "[api-server-endpoint]",
  commands: [
    phaseCommands({ flags: joinFlags, takes: "[api-server-endpoint]", phases: joinPhases, context: joinContext }),
  ],
  async run(line, tools) {
    await withContext(joinContext(line, tools), async (context) => {
      const skip = line.given.has("skip-phases") ? line.values["skip-phases"] : context.join.skipPhases;
      await runPhases(joinPhases, context, skip);
      if (context.tools.machine.isDry) return;
      tools.print(
        context.isControlPlane ? controlPlaneText(tools.machine.at(context.paths.clientConfig("admin"))) : workerText,
      );
    });
    return 0;
  },
});

const workerText = `
This node has joined the cluster:
* Certificate signing request was sent to apiserver and a response was received.
* The agent of this node was informed of the new secure connection details.

Run 'kubectl get nodes' on the control-plane to see this node join the cluster.
`;

const controlPlaneText = (admin: string): string => `
This node has joined the cluster and a new control plane instance was created:

* Certificate signing request was sent to apiserver and approval was received.
* The agent of this node was informed of the new secure connection details.
* Control plane label and taint were applied to the new node.
* The components of the control plane run here.
* A new etcd member was added to the local/stacked etcd cluster.

To start administering your cluster from this node, you need to run the following as a regular user:

	mkdir -p $HOME/.kube
	sudo cp -i ${admin} $HOME/.kube/config
	sudo chown $(id -u):$(id -g) $HOME/.kube/config

Run 'kubectl get nodes' to see this node join the cluster.
`;
