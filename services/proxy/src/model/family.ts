import {
  formatAddress,
  formatNetwork,
  includesAddress,
  parseAddress,
  parseNetwork,
  strictlyContains,
} from "@orch/schema/formats/ip.js";

export type Family = "IPv4" | "IPv6";
export const families: readonly Family[] = ["IPv4", "IPv6"];

/** Bytes of an address. */
const sizes: Readonly<Record<Family, number>> = { IPv4: 4, IPv6: 16 };

/** The address in its one form, where it is of the family: an IPv4 address mapped into IPv6 is one of IPv4. */
export function addressOf(text: string, family: Family): string | undefined {
  const address = parseAddress(text);
  return address?.length === sizes[family] ? formatAddress(address) : undefined;
}

/** Those of the family, each once, in their order. */
export const addressesOf = (texts: readonly string[], family: Family): readonly string[] => [
  ...new Set(texts.map((text) => addressOf(text, family)).filter((text) => text !== undefined)),
];

/**
 * Networks of the family in their one form, sorted, without those that others contain: the kernel refuses a set in which
 * ranges overlap, and with it everything that is written beside it.
 */
export function networksOf(texts: readonly string[], family: Family): readonly string[] {
  const networks = texts.map((text) => parseNetwork(text.trim())).filter((each) => each !== undefined);
  const own = networks.filter(({ address }) => address.length === sizes[family]);
  const widest = own.filter((inner) => !own.some((outer) => strictlyContains(outer, inner)));
  return [...new Set(widest.map(formatNetwork))].sort();
}

/** Whether an address lies in one of these networks; both in their one form. */
export function isWithin(address: string, networks: readonly string[]): boolean {
  const parsed = parseAddress(address);
  if (parsed === undefined) return false;
  return networks.some((text) => {
    const network = parseNetwork(text);
    return network !== undefined && includesAddress(network, parsed);
  });
}

/** `10.0.0.1:80`, `[fd00::1]:80`. */
export const withPort = (address: string, port: number): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
