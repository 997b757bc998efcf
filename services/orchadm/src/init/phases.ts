import { ensureCertificate, ensureServiceAccountKey } from "../certificates/ensure.js";
import { certificateSpecs, specsOf } from "../certificates/specs.js";
import { clientConfigSpecs, ensureClientConfig } from "../client-configs/client-configs.js";
import { unitName } from "../machine/paths.js";
import { controlPlane, writeManifest } from "../manifests/write.js";
import { publishAddon } from "../objects/addons.js";
import { markControlPlane } from "../objects/node-mark.js";
import { uploadCertificates } from "../objects/uploaded-certificates.js";
import { uploadAgentConfiguration, uploadClusterConfiguration } from "../objects/uploads.js";
import type { Phase } from "../phases/phase.js";
import { controlPlaneChecks, firstMachineChecks } from "../preflight/machine-checks.js";
import { preflight } from "../preflight/preflight.js";
import type { InitContext } from "./context.js";
import { showResult } from "./result.js";
import { agentText, makeTokens, startUnits, waitForControlPlane, writeFirstEtcd } from "./steps.js";

/** What `init` does, in its order. */
export const initPhases: readonly Phase<InitContext>[] = [
  {
    name: "preflight",
    description: "Run pre-flight checks",
    async run(context) {
      const { tools, ignored, etcdProgram } = context;
      tools.print("[preflight] Running pre-flight checks\n");
      const checks = [
        ...controlPlaneChecks(context, { etcdProgram, downloads: false }),
        ...firstMachineChecks(context),
      ];
      await preflight(checks, { ignored, warn: tools.printError });
    },
  },
  {
    name: "certs",
    description: "Certificate generation",
    run({ tools, cluster }) {
      tools.print(`[certs] Using certificateDir folder ${JSON.stringify(tools.machine.at(cluster.certificatesDir))}\n`);
      if (cluster.etcd.external !== undefined)
        tools.print("[certs] External etcd mode: its certificates are not made here\n");
    },
    phases: [
      ...certificateSpecs.map((spec) => ({
        name: spec.name,
        description: `Generate ${spec.description}`,
        async run(context: InitContext) {
          if (specsOf(context).includes(spec)) await ensureCertificate(spec, context);
        },
      })),
      {
        name: "sa",
        description: "Generate a private key for signing service account tokens along with its public key",
        run: ensureServiceAccountKey,
      },
    ],
  },
  {
    name: "kubeconfig",
    description: "Generate all client configurations of the control plane and of the administrator",
    run: ({ tools, paths }) =>
      tools.print(`[kubeconfig] Using kubeconfig folder ${JSON.stringify(tools.machine.at(paths.config))}\n`),
    phases: clientConfigSpecs.map((spec) => ({
      name: spec.phase,
      description: `Generate ${spec.description}`,
      run: (context: InitContext) => ensureClientConfig(spec, context),
    })),
  },
  {
    name: "etcd",
    description: "Generate the manifest of a local etcd",
    phases: [{ name: "local", description: "Generate the manifest of a local member of etcd", run: writeFirstEtcd }],
  },
  {
    name: "control-plane",
    description: "Generate all manifests of the control plane",
    run: ({ tools, paths }) =>
      tools.print(`[control-plane] Using manifest folder ${JSON.stringify(tools.machine.at(paths.manifests))}\n`),
    phases: controlPlane.map(({ component, make }) => ({
      name: component,
      description: `Generate the manifest of the ${component}`,
      run(context: InitContext) {
        const name = unitName(context.tools.naming, component);
        context.tools.print(`[control-plane] Creating static Pod manifest for ${JSON.stringify(name)}\n`);
        writeManifest(make(context), context, context);
      },
    })),
  },
  {
    name: "kubelet-start",
    description: "Write the settings of the node's agent and start it and the manifests",
    run: startUnits,
  },
  { name: "wait-control-plane", description: "Wait for the control plane to start", run: waitForControlPlane },
  {
    name: "upload-config",
    description: "Upload the configuration of the cluster and of agents to ConfigMaps",
    phases: [
      {
        name: "kubeadm",
        description: "Upload the configuration of the cluster",
        async run(context) {
          const { tools, cluster } = context;
          const program = tools.naming.configurationWord("orchadm");
          tools.print(
            `[upload-config] Storing the configuration used in ConfigMap "${program}-config" in the ${JSON.stringify(tools.naming.systemName("system"))} Namespace\n`,
          );
          await uploadClusterConfiguration(await context.api(), cluster, tools);
        },
      },
      {
        name: "kubelet",
        description: "Upload the configuration of agents",
        async run(context) {
          const agent = context.tools.naming.configurationWord("agent");
          context.tools.print(
            `[${agent}] Creating a ConfigMap "${agent}-config" in namespace ${context.tools.naming.systemName("system")} with the configuration for the agents in the cluster\n`,
          );
          await uploadAgentConfiguration(await context.api(), agentText(context), context.tools);
        },
      },
    ],
  },
  {
    name: "upload-certs",
    description: "Upload certificates, encrypted, for further machines of the control plane",
    async run(context) {
      const { tools, certificateKey } = context;
      if (!context.uploadsCertificates) {
        tools.print("[upload-certs] Skipping phase. Please see --upload-certs\n");
        return;
      }
      await uploadCertificates(await context.api(), context, certificateKey);
      tools.print(
        `[upload-certs] Storing the certificates in Secret "${tools.naming.configurationWord("orchadm")}-certs" in the ${JSON.stringify(tools.naming.systemName("system"))} Namespace\n`,
      );
      if (context.showsCertificateKey) tools.print(`[upload-certs] Using certificate key:\n${certificateKey}\n`);
    },
  },
  {
    name: "mark-control-plane",
    description: "Mark a node as a control plane",
    run: async (context) => markControlPlane(await context.api(), context.init.nodeRegistration, context.tools),
  },
  {
    name: "bootstrap-token",
    description: "Generate bootstrap tokens used to join a node to a cluster",
    run: makeTokens,
  },
  {
    name: "kubelet-finalize",
    description: "Update settings of the node's agent after its TLS bootstrap",
    phases: [
      {
        name: "enable-client-cert-rotation",
        description: "Have the agent of this node renew its client certificate",
        // The simulated agent reads its client configuration when it starts; `certs renew` writes that anew.
        run: ({ tools }) =>
          tools.trace(
            "[kubelet-finalize] the client certificate of this node's agent is in its client configuration\n",
          ),
      },
    ],
  },
  {
    name: "addon",
    description: "Install the addons that conformance needs",
    phases: [
      {
        name: "coredns",
        description: "Install the CoreDNS addon",
        run: async (context) => publishAddon(await context.api(), context, "coredns"),
      },
      {
        name: "kube-proxy",
        description: "Install the proxy addon",
        run: async (context) => publishAddon(await context.api(), context, "proxy"),
      },
    ],
  },
  { name: "show-join-command", description: "Show the join command for other machines", run: showResult },
];
