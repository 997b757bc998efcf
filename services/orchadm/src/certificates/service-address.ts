import { isIP, SocketAddress } from "node:net";

/** The address at a place of a network: 10.96.0.0/12, 1 → 10.96.0.1. @throws Error for what is no network */
export function serviceAddress(network: string, place: number): string {
  const [base = "", bits = ""] = network.split("/");
  const family = isIP(base);
  if (family === 0 || bits === "") throw new Error(`${JSON.stringify(network)} is no network`);
  const length = family === 4 ? 32 : 128;
  const free = BigInt(length - Number(bits));
  return textOf(((numberOf(base, family) >> free) << free) + BigInt(place), family);
}

function numberOf(address: string, family: number): bigint {
  if (family === 4) return address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = "", tail] = address.split("::");
  const groups = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after].reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n);
}

function textOf(number: bigint, family: number): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((number >> shift) & 255n)).join(".");
  const groups = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((number >> shift) & 65_535n).toString(16));
  // The socket address writes it in the short form.
  return new SocketAddress({ address: groups.join(":"), family: "ipv6" }).address;
}
