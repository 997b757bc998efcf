import { type Network, parseAddress, parseNetwork } from "@orch/schema/formats/ip.js";

/** The two halves of `10.0.0.1:80` and `[::1]:80`; undefined for what has not just these two. */
export function hostAndPort(text: string): { readonly host: string; readonly port: string } | undefined {
  const colon = text.lastIndexOf(":");
  if (colon < 0) return undefined;
  const [host, port] = [text.slice(0, colon), text.slice(colon + 1)];
  if (host.startsWith("[") && host.endsWith("]")) return { host: host.slice(1, -1), port };
  return host.includes(":") || host.includes("[") || host.includes("]") ? undefined : { host, port };
}

/** A number from 1 to 65535, without a sign. */
export function isPort(text: string): boolean {
  const number = Number(text);
  return text.length <= 5 && /^\d+$/.test(text) && number >= 1 && number <= 65_535;
}

export const isAddress = (text: string): boolean => parseAddress(text) !== undefined;

/** `0.0.0.0`, `::`: whichever address the machine has. */
export const isUnspecified = (text: string): boolean => parseAddress(text)?.every((byte) => byte === 0) === true;

export const isSixth = (text: string): boolean => text.includes(":") && isAddress(text);

/** Networks of a list with commas; undefined where one of them is none. */
export function networksOf(text: string): readonly Network[] | undefined {
  const networks = text.split(",").map(parseNetwork);
  return networks.every((each) => each !== undefined) ? networks : undefined;
}

/** One of each family. */
export const isDualStack = ([a, b, ...rest]: readonly Network[]): boolean =>
  a !== undefined && b !== undefined && rest.length === 0 && a.address.length !== b.address.length;
