/** What a TLS connection to the store needs; each part is PEM. */
export interface Tls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}
