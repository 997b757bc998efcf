import { isIP } from "node:net";

export interface AddressHeaders {
  /** `X-Forwarded-For`: who has sent the request on, the first sender first. */
  readonly forwardedFor: string | undefined;
  /** `X-Real-Ip`. */
  readonly realIp: string | undefined;
  /** Of the connection. */
  readonly remote: string;
}

/** More intermediaries than any real path has. */
const mostForwarded = 32;
const mappedPrefix = "::ffff:";

/** Where a request comes from, the claimed sender first and whoever holds the connection last. Texts that are no addresses are left out. */
export function sourceAddresses({ forwardedFor, realIp, remote }: AddressHeaders): readonly string[] {
  const addresses: string[] = [];
  if (forwardedFor !== undefined) {
    for (const part of forwardedFor.split(",", mostForwarded)) {
      const address = part.trim();
      if (isIP(address) !== 0) addresses.push(address);
    }
  }
  if (realIp !== undefined && isIP(realIp) !== 0 && !addresses.includes(realIp)) addresses.push(realIp);
  const held = remote.startsWith(mappedPrefix) ? remote.slice(mappedPrefix.length) : remote;
  if (isIP(held) !== 0 && addresses.at(-1) !== held) addresses.push(held);
  return addresses;
}
