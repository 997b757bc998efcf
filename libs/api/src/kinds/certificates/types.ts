import type { ApiObject } from "../../object.js";

export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

export interface CertificateSigningRequestSpec {
  /** Base64 of PEM. */
  readonly request?: string;
  readonly signerName?: string;
  readonly expirationSeconds?: number;
  readonly usages?: readonly string[];
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface CertificateSigningRequest extends ApiObject {
  readonly spec?: CertificateSigningRequestSpec;
  readonly status?: {
    readonly conditions?: readonly Condition[];
    /** Base64 of PEM. */
    readonly certificate?: string;
  };
}

export interface ClusterTrustBundle extends ApiObject {
  readonly spec?: { readonly signerName?: string; readonly trustBundle?: string };
}
