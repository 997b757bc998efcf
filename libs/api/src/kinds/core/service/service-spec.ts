import type { ApiObject } from "../../../object.js";

export interface ServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

export interface ServiceSpec {
  readonly type?: string;
  readonly ports?: readonly ServicePort[];
  readonly selector?: Readonly<Record<string, string>>;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly ipFamilies?: readonly string[];
  readonly ipFamilyPolicy?: string;
  readonly externalIPs?: readonly string[];
  readonly externalName?: string;
  readonly externalTrafficPolicy?: string;
  readonly internalTrafficPolicy?: string;
  readonly trafficDistribution?: string;
  readonly healthCheckNodePort?: number;
  readonly sessionAffinity?: string;
  readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } };
  readonly loadBalancerClass?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly allocateLoadBalancerNodePorts?: boolean;
}

export interface Service extends ApiObject {
  readonly spec?: ServiceSpec;
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly Ingress[] } };
}

/** Where a balancer is reached. */
export interface Ingress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ipMode?: string;
}

/** Reached from outside the cluster. */
export function isExternal(spec: ServiceSpec): boolean {
  return (
    spec.type === "NodePort" ||
    spec.type === "LoadBalancer" ||
    (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0)
  );
}

/** Has addresses of its own in the cluster, or says with `None` that it wants none. */
export function hasAddress(spec: ServiceSpec): boolean {
  return spec.type !== "ExternalName";
}

/** Reached at a port of every node. */
export function hasNodePorts(spec: ServiceSpec): boolean {
  return spec.type === "NodePort" || spec.type === "LoadBalancer";
}

/** Its balancer asks each node at a port of its own whether it has endpoints. */
export function checksHealth(spec: ServiceSpec): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
}
