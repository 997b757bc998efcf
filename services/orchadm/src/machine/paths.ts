import type { Naming } from "@orch/naming/naming.js";

/** Where things lie on a machine, as it has them itself. */
export interface Paths {
  /** `/etc/orch` */
  readonly config: string;
  readonly manifests: string;
  readonly certificates: string;
  /** Of the node's agent: its configuration, flags and certificates. */
  readonly agentData: string;
  readonly etcdData: string;
  readonly logs: string;
  /** Manifests that were and are to be. */
  readonly temporary: string;
  readonly patchesAt: string;
  /** `admin.conf`, `super-admin.conf`, `kubelet.conf`, `bootstrap-kubelet.conf`, `controller-manager.conf`, `scheduler.conf`. */
  clientConfig(name: ClientConfigName): string;
  /** Of a component: `apiserver`, `controller-manager`, `scheduler`, `etcd`, `agent`. */
  manifest(component: Component): string;
}

export type ClientConfigName =
  | "admin"
  | "super-admin"
  | "agent"
  | "bootstrap-agent"
  | "controller-manager"
  | "scheduler";
export type Component = "etcd" | "apiserver" | "controller-manager" | "scheduler" | "agent";

export function pathsOf(naming: Naming): Paths {
  const product = naming.word("orch");
  const config = `/etc/${product}`;
  const agent = naming.configurationWord("agent");
  const fileOf: Readonly<Partial<Record<ClientConfigName, string>>> = {
    agent: `${agent}.conf`,
    "bootstrap-agent": `bootstrap-${agent}.conf`,
  };
  return {
    config,
    manifests: `${config}/manifests`,
    certificates: `${config}/pki`,
    agentData: `/var/lib/${agent === "agent" ? `${product}-agent` : agent}`,
    etcdData: "/var/lib/etcd",
    logs: `/var/log/${product}`,
    temporary: `${config}/tmp`,
    patchesAt: `${config}/patches`,
    clientConfig: (name) => `${config}/${fileOf[name] ?? `${name}.conf`}`,
    manifest: (component) => `${config}/manifests/${unitName(naming, component)}.yaml`,
  };
}

/** Of a unit, its manifest and its pod: `orch-apiserver`; etcd has its own name. */
export const unitName = (naming: Naming, component: Component): string =>
  component === "etcd" ? component : naming.systemName(component);
