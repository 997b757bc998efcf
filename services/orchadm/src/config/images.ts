import type { ClusterConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import type { Naming } from "@orch/naming/naming.js";

const parts = ["apiserver", "controller-manager", "scheduler", "proxy"] as const;
const dnsVersion = "v1.11.3";
const etcdVersion = "3.5";

type Named = Pick<ClusterConfiguration, "imageRepository" | "orchVersion" | "dns" | "etcd">;

/** The images that manifests and addons of a cluster name. */
export function imagesOf({ imageRepository, orchVersion, dns, etcd }: Named, naming: Naming): readonly string[] {
  const { local } = etcd;
  return [
    ...parts.map((part) => `${imageRepository}/${naming.systemName(part)}:${orchVersion}`),
    `${dns.imageRepository || imageRepository}/coredns:${dns.imageTag || dnsVersion}`,
    ...(local === undefined
      ? []
      : [`${local.imageRepository || imageRepository}/etcd:${local.imageTag || etcdVersion}`]),
  ];
}
