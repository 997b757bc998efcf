// What the proxy reads of objects, as the wire has it: the server has validated them, yet nothing here relies on it.

interface Meta {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

export interface RawServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
  readonly nodePort?: number;
}

export interface RawIngress {
  readonly ip?: string;
  readonly ipMode?: string;
}

export interface RawService {
  readonly metadata: Meta;
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly ports?: readonly RawServicePort[];
    readonly externalIPs?: readonly string[];
    readonly loadBalancerSourceRanges?: readonly string[];
    readonly sessionAffinity?: string;
    readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } };
    readonly internalTrafficPolicy?: string;
    readonly externalTrafficPolicy?: string;
    readonly healthCheckNodePort?: number;
  };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly RawIngress[] } };
}

export interface RawEndpoint {
  readonly addresses?: readonly string[];
  readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
  readonly nodeName?: string;
  readonly hints?: { readonly forZones?: readonly { readonly name: string }[] };
}

export interface RawSlice {
  readonly metadata: Meta;
  readonly addressType?: string;
  readonly endpoints?: readonly RawEndpoint[] | null;
  readonly ports?: readonly { readonly name?: string; readonly protocol?: string; readonly port?: number }[] | null;
}

export interface RawNode {
  readonly metadata: Meta;
  readonly spec?: {
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
    readonly taints?: readonly { readonly key: string }[];
  };
  readonly status?: { readonly addresses?: readonly { readonly type: string; readonly address: string }[] };
}
