import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { Cluster } from "../cluster.js";
import { componentKinds } from "../configuration/read-file.js";
import type { InitContext } from "../init/context.js";
import { clusterServer } from "../site.js";
import { coredns } from "./coredns.js";
import { namesOf } from "./names.js";
import { accessRules } from "./rbac.js";
import { ensureMap } from "./uploads.js";

export type Addon = "coredns" | "proxy";

type AddonContext = Pick<InitContext, "tools" | "cluster" | "member" | "init" | "proxy">;

/** Writes the objects of an addon. Where no node runs containers nobody answers names, and those of coredns are left out. */
export async function publishAddon(api: Cluster, context: AddonContext, addon: Addon): Promise<void> {
  const { cluster, tools, init } = context;
  if (addon === "proxy") {
    if (cluster.proxy.disabled) return;
    await publishProxy(api, context);
    tools.print(`[addons] Applied essential addon: ${tools.naming.systemName("proxy")}\n`);
    return;
  }
  if (cluster.dns.disabled) return;
  if (init.nodeRegistration.criSocket === "") {
    tools.print("[addons] Left out the addon CoreDNS: without --cri-socket nothing runs containers here\n");
    return;
  }
  await coredns(api, context);
  tools.print("[addons] Applied essential addon: CoreDNS\n");
}

const serviceAccounts = (namespace: string) => ({ group: "", version: "v1", resource: "serviceaccounts", namespace });

async function publishProxy(api: Cluster, context: AddonContext): Promise<void> {
  const { tools, cluster, proxy } = context;
  const { naming } = tools;
  const names = namesOf(naming);
  const namespace = names.systemNamespace;
  const name = naming.systemName("proxy");
  const metadata = { name, namespace, labels: { [naming.dialect === "orch" ? "orch-app" : "k8s-app"]: name } };
  await api.ensure(serviceAccounts(namespace), {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name, namespace },
  });
  await accessRules(api, naming).clusterBinding(`${names.program}:node-proxier`, "system:node-proxier", [
    { kind: "ServiceAccount", name, namespace },
  ]);
  const { proxy: kind } = componentKinds(tools);
  const wanted = proxy ?? kind.defaults();
  const folder = `/var/lib/${name}`;
  const config = kind.print({
    ...wanted,
    clientConnection: { ...wanted.clientConnection, orchconfig: `${folder}/kubeconfig.conf` },
    // The networks of pods are the cluster's, where the file leaves them open.
    clusterCIDR: wanted.clusterCIDR || cluster.networking.podSubnet,
  });
  const token = `/var/run/secrets/${naming.keyDomain}/serviceaccount`;
  await ensureMap(api, {
    ...{ namespace, name },
    data: {
      "config.conf": config,
      "kubeconfig.conf": printYaml({
        apiVersion: naming.clientConfigApiVersion,
        kind: "Config",
        clusters: [
          { name: "default", cluster: { "certificate-authority": `${token}/ca.crt`, server: clusterServer(context) } },
        ],
        contexts: [{ name: "default", context: { cluster: "default", namespace: "default", user: "default" } }],
        "current-context": "default",
        users: [{ name: "default", user: { tokenFile: `${token}/token` } }],
      }),
    },
  });
  const labels = metadata.labels;
  await api.ensure(
    { group: "apps", version: "v1", resource: "daemonsets", namespace },
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata,
      spec: {
        selector: { matchLabels: labels },
        updateStrategy: { type: "RollingUpdate" },
        template: {
          metadata: { labels },
          spec: {
            priorityClassName: "system-node-critical",
            serviceAccountName: name,
            hostNetwork: true,
            tolerations: [{ operator: "Exists" }],
            nodeSelector: { [naming.key("os")]: "linux" },
            containers: [
              {
                name,
                image: `${cluster.imageRepository}/${name}:${cluster.orchVersion}`,
                imagePullPolicy: "IfNotPresent",
                command: ["orch", "proxy", `--config=${folder}/config.conf`, "--hostname-override=$(NODE_NAME)"],
                securityContext: { privileged: true },
                env: [{ name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
                volumeMounts: [{ mountPath: folder, name }],
              },
            ],
            volumes: [{ name, configMap: { name } }],
          },
        },
      },
    },
  );
}
