/** What a TLS connection to the store needs; each part is PEM. */
export interface Tls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** The same, or what it is at the moment: new connections are made with that, those that are there go on. */
export type TlsSource = Tls | (() => Tls);

export function tlsNow(source: TlsSource | undefined): Tls | undefined {
  return typeof source === "function" ? source() : source;
}
