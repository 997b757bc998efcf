import { shortHash } from "../hash.js";
import type { BalancedPort } from "../model/balance.js";
import type { Detection } from "../model/detection.js";
import type { Endpoint } from "../model/endpoints.js";
import type { Family } from "../model/family.js";

/** What the two families call the same things. */
export interface FamilyWords {
  readonly ip: string;
  readonly addressType: string;
  readonly loopback: string;
}

export const wordsOf: Readonly<Record<Family, FamilyWords>> = {
  IPv4: { ip: "ip", addressType: "ipv4_addr", loopback: "127.0.0.0/8" },
  IPv6: { ip: "ip6", addressType: "ipv6_addr", loopback: "::1" },
};

/** The kernel takes 255 characters for a name; a prefix of ours has less than 15. */
const longestName = 240;
/** What a comment may have. */
const longestComment = 127;

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 3)}...`);

/** `ns1/svc1/tcp/p80` → `ULMVA6XW-ns1/svc1/tcp/p80`: whatever is cut off, no two are the same. */
const named = (text: string): string => cut(`${shortHash(text, 8)}-${text}`, longestName);

/** What a port of a service is called in the table. */
export interface PortNames {
  readonly service: string;
  readonly local: string;
  readonly external: string;
  readonly firewall: string;
  of(endpoint: Endpoint): EndpointNames;
}

export interface EndpointNames {
  readonly chain: string;
  /** The set of clients that stay with it. */
  readonly affinity: string;
}

export function namesOf({ port, reachable }: BalancedPort): PortNames {
  const base = named(port.key);
  const ofEndpoint = ({ address, port: number }: Endpoint): EndpointNames => {
    const own = named(`${port.key}__${address.replaceAll(":", ".")}/${number}`);
    return { chain: `endpoint-${own}`, affinity: `affinity-${own}` };
  };
  // A hash takes longer than the rest of an endpoint's rules.
  const known = new Map(reachable.map((endpoint) => [endpoint, ofEndpoint(endpoint)]));
  return {
    service: `service-${base}`,
    local: `local-${base}`,
    external: `external-${base}`,
    firewall: `firewall-${base}`,
    of: (endpoint) => known.get(endpoint) ?? ofEndpoint(endpoint),
  };
}

export const comment = (text: string): string => `comment "${cut(text, longestComment)}"`;

/** What matches traffic of pods here, and what matches all other; undefined where nobody can tell. */
export function detectionRules(detection: Detection, { ip }: FamilyWords) {
  if (detection.by === "nothing") return undefined;
  if (detection.by === "source") {
    return { isLocal: `${ip} saddr ${detection.network}`, isNotLocal: `${ip} saddr != ${detection.network}` };
  }
  const name = `"${detection.name}${detection.isPrefix ? "*" : ""}"`;
  return { isLocal: `iifname ${name}`, isNotLocal: `iifname != ${name}` };
}
