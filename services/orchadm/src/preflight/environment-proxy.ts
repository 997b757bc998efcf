import { domainToASCII } from "node:url";
import { hostAndPort } from "@orch/component-config/rules-of-addresses.js";
import { type Address, includesAddress, parseAddress, parseNetwork } from "@orch/schema/formats/ip.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy by which clients of the reference go to an address: HTTPS_PROXY or HTTP_PROXY by its scheme, and none for
 * loopback addresses and for what NO_PROXY names. A proxy that is no address is none.
 */
export function proxyByEnvironment(target: URL, environment: Environment): URL | undefined {
  const ofScheme = target.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = addressOf(variable(environment, ofScheme));
  if (proxy === undefined) return undefined;
  const asked = reached(target);
  if (asked.host === "localhost" || isLoopback(asked.address)) return undefined;
  const exceptions = variable(environment, "NO_PROXY").split(",");
  return exceptions.some((entry) => isException(entry.trim().toLowerCase(), asked)) ? undefined : proxy;
}

const variable = (environment: Environment, name: string): string =>
  environment[name] || environment[name.toLowerCase()] || "";

/** `http://proxy:3128`, or without its scheme: `proxy:3128`. */
function addressOf(text: string): URL | undefined {
  if (text === "") return undefined;
  const whole = URL.parse(text);
  return whole !== null && whole.host !== "" ? whole : (URL.parse(`http://${text}`) ?? undefined);
}

interface Reached {
  readonly host: string;
  readonly port: string;
  /** Of a host that is one. */
  readonly address: Address | undefined;
}

function reached({ hostname, port, protocol }: URL): Reached {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return { host, port: port || (protocol === "https:" ? "443" : "80"), address: parseAddress(host) };
}

const isLoopback = (address: Address | undefined): boolean =>
  address !== undefined &&
  (address.length === 4 ? address[0] === 127 : address.every((byte, i) => byte === (i === 15 ? 1 : 0)));

/** One entry of NO_PROXY: `*`, a network, an address or a name; the latter two with a port or without. */
function isException(entry: string, { host, port, address }: Reached): boolean {
  if (entry === "*") return true;
  const network = parseNetwork(entry);
  if (network !== undefined) return address !== undefined && includesAddress(network, address);
  const named = hostAndPort(entry) ?? { host: entry, port: "" };
  if (named.host === "" || (named.port !== "" && named.port !== port)) return false;
  const single = parseAddress(named.host);
  if (single !== undefined) return address !== undefined && String(single) === String(address);
  // "a.example" stands for itself and for names below it, ".a.example" and "*.a.example" for those alone.
  const name = named.host.startsWith("*.") ? named.host.slice(1) : named.host;
  if (name.startsWith(".")) return host.endsWith(`.${domainToASCII(name.slice(1))}`);
  const ascii = domainToASCII(name);
  return ascii !== "" && (host === ascii || host.endsWith(`.${ascii}`));
}
