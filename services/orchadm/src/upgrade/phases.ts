import { findPair } from "../certificates/pairs.js";
import { storedAgentConfiguration } from "../configuration/stored.js";
import { publishClusterInfo } from "../objects/cluster-info.js";
import { allowBootstrap } from "../objects/tokens.js";
import { uploadAgentConfiguration, uploadClusterConfiguration } from "../objects/uploads.js";
import type { Phase } from "../phases/phase.js";
import { clusterServer } from "../site.js";
import { upgradeAddon } from "./addons.js";
import { checkApply, checkNode } from "./checks.js";
import type { UpgradeContext } from "./context.js";
import { upgradeControlPlane } from "./control-plane.js";
import { upgradeAgent } from "./node-agent.js";
import { isControlPlane } from "./own-member.js";
import { renewCertificatesOfPeople } from "./renewing.js";

const controlPlane: Phase<UpgradeContext> = {
  name: "control-plane",
  description: "Upgrade the control plane of this machine",
  run: upgradeControlPlane,
};

const agent: Phase<UpgradeContext> = {
  name: "kubelet-config",
  description: "Upgrade the configuration of this node's agent",
  run: upgradeAgent,
};

const addons: Phase<UpgradeContext> = {
  name: "addon",
  description: "Upgrade the addons",
  phases: [
    {
      name: "coredns",
      description: "Upgrade the CoreDNS addon",
      run: (context) => ofControlPlane(context, () => upgradeAddon(context, "coredns")),
    },
    {
      name: "kube-proxy",
      description: "Upgrade the proxy addon",
      run: (context) => ofControlPlane(context, () => upgradeAddon(context, "proxy")),
    },
  ],
};

/** Workers leave the cluster's objects alone: they may not write them. */
async function ofControlPlane({ tools, paths }: UpgradeContext, run: () => Promise<void>): Promise<void> {
  if (isControlPlane(tools.machine, paths)) await run();
  else tools.print("[upgrade] Skipping phase. Not a control plane node.\n");
}

/** What `upgrade apply` does, in its order. */
export const applyPhases: readonly Phase<UpgradeContext>[] = [
  { name: "preflight", description: "Run preflight checks before upgrade", run: checkApply },
  controlPlane,
  {
    name: "upload-config",
    description: "Upload the configuration of the cluster and of agents to ConfigMaps",
    phases: [
      {
        name: "kubeadm",
        description: "Upload the configuration of the cluster",
        run: ({ changes, cluster, tools }) => uploadClusterConfiguration(changes, cluster, tools),
      },
      {
        name: "kubelet",
        description: "Upload the configuration of agents",
        async run({ api, changes, tools }) {
          await uploadAgentConfiguration(changes, await storedAgentConfiguration(api, tools), tools);
        },
      },
    ],
  },
  agent,
  {
    name: "bootstrap-token",
    description: "Renew what machines that join may do",
    async run(context) {
      const { changes, tools, cluster } = context;
      await allowBootstrap(changes, tools);
      const { certificate: ca = "" } = findPair(tools.machine, `${cluster.certificatesDir}/ca`);
      if (ca !== "") await publishClusterInfo(changes, { server: clusterServer(context), ca }, tools);
    },
  },
  addons,
  {
    name: "post-upgrade",
    description: "Renew the certificates of administrators, tell what to do next",
    async run(context) {
      const { tools, cluster, renewsCertificates, from } = context;
      if (tools.machine.isDry) {
        tools.print("[upgrade/successful] Finished dryrunning successfully!\n");
        return;
      }
      if (renewsCertificates && from !== cluster.orchVersion) await renewCertificatesOfPeople(context);
      tools.print(
        `\n[upgrade] SUCCESS! A control plane node of your cluster was upgraded to ${JSON.stringify(cluster.orchVersion)}.\n\n[upgrade] Now please proceed with upgrading the rest of the nodes by following the right order: on each,\n  orchadm upgrade node\n`,
      );
    },
  },
];

/** What `upgrade node` does on a further machine of the control plane, and on a worker. */
export const nodePhases: readonly Phase<UpgradeContext>[] = [
  { name: "preflight", description: "Run upgrade node pre-flight checks", run: checkNode },
  controlPlane,
  agent,
  addons,
  {
    name: "post-upgrade",
    description: "Tell what was done",
    run({ tools, cluster }) {
      tools.print(`[upgrade] The configuration for this node was successfully updated to ${cluster.orchVersion}!\n`);
    },
  },
];
