import type { ApiObject } from "../../object.js";
import type { LabelSelector } from "../shared/label-selector.js";

/** What the functions of this folder read of `networking/v1` and its older versions. */
export interface ServicePort {
  readonly name?: string;
  readonly number?: number;
}

export interface TypedReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface Backend {
  readonly service?: { readonly name?: string; readonly port?: ServicePort };
  readonly resource?: TypedReference;
}

/** In `v1beta1`. */
export interface OldBackend {
  readonly serviceName?: string;
  readonly servicePort?: number | string;
  readonly resource?: TypedReference;
}

export interface HttpPath<B> {
  readonly path?: string;
  readonly pathType?: string;
  readonly backend?: B;
}

export interface Rule<B> {
  readonly host?: string;
  readonly http?: { readonly paths?: readonly HttpPath<B>[] };
}

interface SpecOf<B> {
  readonly ingressClassName?: string;
  readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[];
  readonly rules?: readonly Rule<B>[];
}

export interface IngressSpec extends SpecOf<Backend> {
  readonly defaultBackend?: Backend;
}

export interface Ingress extends ApiObject {
  readonly spec?: IngressSpec;
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] };
  };
}

export interface OldIngress extends ApiObject {
  readonly spec?: SpecOf<OldBackend> & { readonly backend?: OldBackend };
}

export interface IngressClass extends ApiObject {
  readonly spec?: {
    readonly controller?: string;
    readonly parameters?: TypedReference & { readonly scope?: string; readonly namespace?: string };
  };
}

export interface PolicyPort {
  readonly protocol?: string;
  readonly port?: number | string;
  readonly endPort?: number;
}

export interface IpBlock {
  readonly cidr?: string;
  readonly except?: readonly string[];
}

export interface PolicyPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: IpBlock;
}

export interface PolicySpec {
  readonly podSelector?: LabelSelector;
  readonly ingress?: readonly { readonly ports?: readonly PolicyPort[]; readonly from?: readonly PolicyPeer[] }[];
  readonly egress?: readonly { readonly ports?: readonly PolicyPort[]; readonly to?: readonly PolicyPeer[] }[];
  readonly policyTypes?: readonly string[];
}

export interface NetworkPolicy extends ApiObject {
  readonly spec?: PolicySpec;
}

export interface IPAddress extends ApiObject {
  readonly spec?: {
    readonly parentRef?: {
      readonly group?: string;
      readonly resource?: string;
      readonly namespace?: string;
      readonly name?: string;
    };
  };
}

export interface ServiceCIDR extends ApiObject {
  readonly spec?: { readonly cidrs?: readonly string[] };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type?: string;
      readonly status?: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}
