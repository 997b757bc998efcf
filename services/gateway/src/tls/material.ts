/** A further certificate, for clients that ask for one of these names. */
export interface NamedPair {
  readonly cert: string;
  readonly key: string;
  /** `a.example`, `*.example`; where there are none, those that the certificate is for. */
  readonly names: readonly string[];
}

/** What connections with clients are made with: PEM texts and plain values, so that it can go to another process. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  /** Authorities of clients. */
  readonly clientCa: string | undefined;
  /** Authorities of front proxies, which tell in headers who their clients are. */
  readonly proxyCa?: string | undefined;
  readonly named?: readonly NamedPair[];
  readonly minVersion?: "TLSv1.2" | "TLSv1.3";
  /** Names of OpenSSL, separated by colons; the modern ones where absent. */
  readonly ciphers?: string | undefined;
}

/** Material that may change while the process runs. */
export interface TlsSource {
  current(): TlsMaterial;
  onChange(run: () => void): void;
}

export const fixedTls = (material: TlsMaterial): TlsSource => ({ current: () => material, onChange: () => {} });
