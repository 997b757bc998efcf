import type { Naming } from "@orch/naming/naming.js";

/** Names of the objects in which a cluster keeps how it was set up. */
export function namesOf(naming: Naming) {
  const program = naming.configurationWord("orchadm");
  const agent = naming.configurationWord("agent");
  return {
    program,
    systemNamespace: naming.systemName("system"),
    publicNamespace: naming.systemName("public"),
    clusterConfiguration: `${program}-config`,
    agentConfiguration: `${agent}-config`,
    /** Key of that map, and of the maps below. */
    agentKey: agent,
    clusterInfo: "cluster-info",
    /** As clients read it, whatever the dialect. */
    clusterInfoKey: "kubeconfig",
    certificates: `${program}-certs`,
    bootstrappers: `system:bootstrappers:${program}:default-node-token`,
    nodes: "system:nodes",
    controlPlaneRole: `node-role.${naming.key("control-plane")}`,
    tokenType: `bootstrap.${naming.key("token")}`,
  } as const;
}

export const tokenSecretName = (id: string): string => `bootstrap-token-${id}`;
