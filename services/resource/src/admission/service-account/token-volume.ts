import type { Container, PodSpec } from "@orch/api/kinds/core/pod/types.js";
import type { Naming } from "@orch/naming/naming.js";
import { podTokenSeconds } from "../../token-request.js";

/** How a pod's own token gets into its containers, in the words of the dialect in force. */
export interface TokenVolumeDeps {
  readonly naming: Naming;
  /** A name that begins so and is nobody's yet. */
  readonly newName: (prefix: string) => string;
}

/**
 * A pod with the token of its account in every container, but for those that mount something there themselves:
 * token, CA and namespace in one projected volume.
 */
export function withTokenMounted(spec: PodSpec, { naming, newName }: TokenVolumeDeps): PodSpec {
  const prefix = `${naming.systemName("api-access")}-`;
  const existing = (spec.volumes ?? []).find(({ name = "" }) => name.startsWith(prefix));
  const name = existing?.name ?? newName(prefix);
  const mountPath = `/var/run/secrets/${naming.key("serviceaccount")}`;
  const mount = { name, readOnly: true, mountPath };
  const lacks = ({ volumeMounts = [] }: Container): boolean => volumeMounts.every((m) => m.mountPath !== mountPath);
  const mounted = (containers: readonly Container[]): readonly Container[] =>
    containers.map((c) => (lacks(c) ? { ...c, volumeMounts: [...(c.volumeMounts ?? []), mount] } : c));
  const { initContainers, containers = [] } = spec;
  const needed = [...(initContainers ?? []), ...containers].some(lacks);
  const volumes = [...(spec.volumes ?? []), { name, projected: tokenProjection(naming) }];
  return {
    ...spec,
    ...(initContainers === undefined ? {} : { initContainers: mounted(initContainers) }),
    containers: mounted(containers),
    ...(existing === undefined && needed ? { volumes } : {}),
  };
}

function tokenProjection(naming: Naming) {
  const namespace = { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } };
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: podTokenSeconds, path: "token" } },
      { configMap: { name: naming.systemName("root-ca.crt"), items: [{ key: "ca.crt", path: "ca.crt" }] } },
      { downwardAPI: { items: [namespace] } },
    ],
    defaultMode: 0o644,
  };
}
