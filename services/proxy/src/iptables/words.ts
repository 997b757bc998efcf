import { shortHash } from "../hash.js";
import type { BalancedPort } from "../model/balance.js";
import type { Detection } from "../model/detection.js";
import type { Endpoint } from "../model/endpoints.js";

/** Chains that every service has a part in, and those that stay what they are. */
export interface ChainNames {
  readonly services: string;
  readonly externalServices: string;
  readonly nodePorts: string;
  readonly proxyFirewall: string;
  readonly firewall: string;
  readonly forward: string;
  readonly postrouting: string;
  readonly markMasquerade: string;
  readonly canary: string;
  /** What the chains of single services and endpoints begin with. */
  readonly owned: readonly string[];
}

const endpointPrefix = "SEP-";
const owned = ["SVC-", "SVL-", "EXT-", "FW-", endpointPrefix];

/** `prefix`: `KUBE-`. */
export const chainNames = (prefix: string): ChainNames => ({
  services: `${prefix}SERVICES`,
  externalServices: `${prefix}EXTERNAL-SERVICES`,
  nodePorts: `${prefix}NODEPORTS`,
  proxyFirewall: `${prefix}PROXY-FIREWALL`,
  firewall: `${prefix}FIREWALL`,
  forward: `${prefix}FORWARD`,
  postrouting: `${prefix}POSTROUTING`,
  markMasquerade: `${prefix}MARK-MASQ`,
  canary: `${prefix}PROXY-CANARY`,
  owned: owned.map((each) => `${prefix}${each}`),
});

export interface PortNames {
  readonly cluster: string;
  readonly local: string;
  readonly external: string;
  readonly firewall: string;
  of(endpoint: Endpoint): string;
}

/** A chain's name has 28 characters at most: services and endpoints are known by hashes. */
export function namesOf({ port, reachable }: BalancedPort, prefix: string): PortNames {
  const base = `${port.text}${port.protocol}`;
  const hash = shortHash(base, 16);
  const ofEndpoint = ({ text }: Endpoint): string => `${prefix}${endpointPrefix}${shortHash(`${base}${text}`, 16)}`;
  const known = new Map(reachable.map((endpoint) => [endpoint, ofEndpoint(endpoint)]));
  return {
    cluster: `${prefix}SVC-${hash}`,
    local: `${prefix}SVL-${hash}`,
    external: `${prefix}EXT-${hash}`,
    firewall: `${prefix}FW-${hash}`,
    of: (endpoint) => known.get(endpoint) ?? ofEndpoint(endpoint),
  };
}

/** A text with spaces stands in quotes; names of services have none of their own. */
export const comment = (text: string): string =>
  `-m comment --comment ${text.includes(" ") ? JSON.stringify(text) : text}`;

export function detectionRules(detection: Detection) {
  if (detection.by === "nothing") return undefined;
  const about =
    detection.by === "source" ? `-s ${detection.network}` : `-i ${detection.name}${detection.isPrefix ? "+" : ""}`;
  return { isLocal: about, isNotLocal: `! ${about}` };
}
