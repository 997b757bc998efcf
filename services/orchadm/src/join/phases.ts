import { isRecord } from "@orch/client/objects.js";
import { ensureCertificate, ensureServiceAccountKey } from "../certificates/ensure.js";
import { isAuthority, specsOf } from "../certificates/specs.js";
import { clientConfigSpecs, ensureClientConfig } from "../client-configs/client-configs.js";
import { collections } from "../cluster.js";
import { unitName } from "../machine/paths.js";
import { controlPlane, writeManifest } from "../manifests/write.js";
import { markControlPlane } from "../objects/node-mark.js";
import { downloadCertificates } from "../objects/uploaded-certificates.js";
import type { Phase } from "../phases/phase.js";
import { controlPlaneChecks, joiningChecks, workerChecks } from "../preflight/machine-checks.js";
import { preflight } from "../preflight/preflight.js";
import type { JoinContext } from "./context.js";
import { bootstrapAgent, checkEtcd, joinEtcd, prepareAgent, waitForOwnControlPlane } from "./steps.js";

/** Runs for machines of the control plane alone. */
const ofControlPlane =
  (run: (context: JoinContext) => Promise<void>) =>
  async (context: JoinContext): Promise<void> => {
    if (context.isControlPlane) await run(context);
  };

/** Made on the first machine alone: it passes by RBAC; that of the agent comes from the cluster. */
const ownClientConfigs = clientConfigSpecs.filter(({ name }) => name !== "super-admin" && name !== "agent");

/** What `join` does, in its order. */
export const joinPhases: readonly Phase<JoinContext>[] = [
  { name: "preflight", description: "Run join pre-flight checks", run: check },
  {
    name: "control-plane-prepare",
    description: "Prepare the machine for serving a control plane",
    phases: [
      {
        name: "download-certs",
        description: "Download certificates shared among control-plane nodes from the cluster",
        run: ofControlPlane(async (context) => {
          const key = context.join.controlPlane?.certificateKey ?? "";
          if (key === "") return;
          await downloadCertificates(await context.asBootstrapper(), await context.site(), key);
        }),
      },
      {
        name: "certs",
        description: "Generate the certificates for the new control plane components",
        run: ofControlPlane(async (context) => {
          const site = await context.site();
          requireAuthorities(site);
          for (const spec of specsOf(site)) await ensureCertificate(spec, site);
          await ensureServiceAccountKey(site);
        }),
      },
      {
        name: "kubeconfig",
        description: "Generate the client configurations for the new control plane components",
        run: ofControlPlane(async (context) => {
          const site = await context.site();
          for (const spec of ownClientConfigs) await ensureClientConfig(spec, site);
        }),
      },
      {
        name: "control-plane",
        description: "Generate the manifests for the new control plane components",
        run: ofControlPlane(async (context) => {
          const site = await context.site();
          for (const { component, make } of controlPlane) {
            const name = unitName(context.tools.naming, component);
            context.tools.print(`[control-plane] Creating static Pod manifest for ${JSON.stringify(name)}\n`);
            writeManifest(make(site), site, context);
          }
        }),
      },
    ],
  },
  { name: "check-etcd", description: "Check cluster health for etcd join", run: ofControlPlane(checkEtcd) },
  {
    name: "kubelet-start",
    description: "Write settings of the node's agent and its first credentials",
    run: prepareAgent,
  },
  {
    name: "kubelet-wait-bootstrap",
    description: "Get the node's certificate and start its agent",
    run: bootstrapAgent,
  },
  {
    name: "control-plane-join",
    description: "Join a machine as a control plane instance",
    phases: [
      { name: "etcd", description: "Add a new local etcd member", run: ofControlPlane(joinEtcd) },
      {
        name: "mark-control-plane",
        description: "Mark a node as a control-plane",
        run: ofControlPlane(async (context) => {
          await markControlPlane(await context.asAdmin(), context.join.nodeRegistration, context.tools);
        }),
      },
    ],
  },
  {
    name: "wait-control-plane",
    description: "Wait for the control plane to start",
    run: ofControlPlane(waitForOwnControlPlane),
  },
];

async function check(context: JoinContext): Promise<void> {
  const { tools, ignored, etcdProgram, join } = context;
  tools.print("[preflight] Running pre-flight checks\n");
  const options = { ignored, warn: tools.printError };
  const own = joiningChecks(context);
  if (!context.isControlPlane) await preflight([...own, ...workerChecks(context)], options);
  const site = await context.site();
  if (context.isControlPlane) {
    if (site.cluster.controlPlaneEndpoint === "") {
      throw new Error(
        "unable to add a new control plane instance to a cluster that doesn't have a stable controlPlaneEndpoint address\n\nPlease ensure that:\n* The cluster has a stable controlPlaneEndpoint address.\n* The certificates that must be shared among control plane instances are provided.",
      );
    }
    const downloads = (join.controlPlane?.certificateKey ?? "") !== "";
    await preflight([...own, ...controlPlaneChecks(site, { etcdProgram, downloads })], options);
  }
  await refuseName(context);
}

async function refuseName(context: JoinContext): Promise<void> {
  const { name } = context.member;
  const node = await (await context.asBootstrapper()).get(collections.nodes, name);
  const conditions: unknown = isRecord(node?.["status"]) ? node["status"]["conditions"] : undefined;
  const isReady = (Array.isArray(conditions) ? conditions.filter(isRecord) : []).some(
    ({ type, status }) => type === "Ready" && status === "True",
  );
  if (!isReady) return;
  throw new Error(
    `a Node with name ${JSON.stringify(name)} and status "Ready" already exists in the cluster. You must delete the existing Node or change the name of this new joining Node`,
  );
}

/** Authorities come from the first machine: one that is made here would be another cluster's. */
function requireAuthorities(site: Awaited<ReturnType<JoinContext["site"]>>): void {
  const { machine } = site.tools;
  const files = [
    ...specsOf(site)
      .filter(isAuthority)
      .map(({ base }) => `${base}.crt`),
    "sa.key",
  ];
  const missing = files
    .map((file) => `${site.cluster.certificatesDir}/${file}`)
    .filter((path) => !machine.exists(path));
  if (missing.length === 0) return;
  throw new Error(
    `One or more conditions for hosting a new control plane instance is not satisfied.\n\n[${missing
      .map((path) => `failure loading certificate: ${machine.at(path)} does not exist`)
      .join(
        ", ",
      )}]\n\nPlease ensure that:\n* The certificates that must be shared among control plane instances are provided (--certificate-key).`,
  );
}
