/** What a certificate says of the names that it is for, as node prints it. */
export interface NamedCertificate {
  readonly subjectaltname?: string | undefined;
}

export interface PeerVerdict {
  readonly accepted: boolean;
  /** Who the other side is, for logs: an empty text where its certificate does not say so. */
  readonly identity: string;
}

/** Whether somebody whose certificate the TLS layer has verified is one that is expected. */
export type PeerCheck = (certificate: NamedCertificate) => PeerVerdict;

/** Who a service is to the others: a URI of SPIFFE's form, one in each certificate. */
export function serviceIdentity(trustDomain: string, service: string): string {
  return `spiffe://${trustDomain}/service/${service}`;
}

/** Takes the services of these names in this trust domain, and nobody else. */
export function servicePeers(trustDomain: string, services: readonly string[]): PeerCheck {
  const expected = new Set(services.map((service) => serviceIdentity(trustDomain, service)));
  return (certificate) => {
    const identity = identityOf(certificate) ?? "";
    return { accepted: expected.has(identity), identity };
  };
}

// Node quotes a value in which a comma or a quote stands, so that none can pass for two.
const altName = /([^:,]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/y;
const scheme = "spiffe://";

/** The one URI by which a certificate names a service; undefined where it has none, or several. */
export function identityOf({ subjectaltname = "" }: NamedCertificate): string | undefined {
  const uris: string[] = [];
  altName.lastIndex = 0;
  while (altName.lastIndex < subjectaltname.length) {
    const found = altName.exec(subjectaltname);
    if (found === null) return undefined;
    if (found[1] === "URI") uris.push(found[2] ?? "");
  }
  const [uri] = uris;
  return uris.length === 1 && uri?.startsWith(scheme) ? uri : undefined;
}
