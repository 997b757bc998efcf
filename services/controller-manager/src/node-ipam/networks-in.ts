import { type Network, parseNetwork } from "@orch/schema/formats/ip.js";

/** One network, or one of each family; undefined where the list is another one. */
export function networksIn(list: string): readonly Network[] | undefined {
  const texts = textsIn(list);
  const networks = texts.flatMap((text) => parseNetwork(text) ?? []);
  const families = new Set(networks.map(({ address }) => address.length));
  return networks.length === texts.length && networks.length > 0 && families.size === networks.length
    ? networks
    : undefined;
}

/** The items of a list with commas that are not empty. */
export const textsIn = (list: string): readonly string[] =>
  list
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "");
