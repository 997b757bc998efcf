/** Where a proxy's answer came from, and what its clients call it. */
export interface ProxiedPath {
  /** The address that was asked, with its port where that is not the scheme's own: `10.0.0.1:8080`. */
  readonly asked: string;
  /** What the `Host` header said. */
  readonly host: string;
  /** `/api/v1/namespaces/n/pods/p/proxy`. */
  readonly prefix: string;
}

/** A redirect to the server that answers leads through the proxy again; one to elsewhere, or to a relative path, stays. */
export function redirectThrough(location: string, { asked, host, prefix }: ProxiedPath): string {
  const [, authority, path = "", rest = ""] = /^(?:https?:)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is.exec(location) ?? [];
  const elsewhere = authority !== undefined && authority !== asked && authority !== host;
  if (elsewhere || !path.startsWith("/") || path.startsWith(`${prefix}/`)) return location;
  // An address alone is a path of none.
  return `${prefix}${path}${rest}`;
}
