import { createIptablesRuleset } from "../iptables/ruleset.js";
import { createCluster } from "../model/cluster.js";
import { createNftRuleset } from "../nftables/ruleset.js";
import type { Ruleset, Writing } from "../ruleset.js";
import { golden } from "./golden.js";
import { endpoint, service, slice } from "./objects.js";

const shared = { ...golden.options, family: "IPv4" } as const;

/** Rulesets by mode, for benches. */
export const rulesets = {
  nftables: (): Ruleset => createNftRuleset(shared),
  iptables: (): Ruleset =>
    createIptablesRuleset({ ...shared, localhostNodePorts: true, isLiberal: false, isFullyRandom: true }),
} as const;

export interface ManyServices {
  /** Other endpoints for a service: `first` is the number of the first one. */
  spread(service: number, first: number): void;
  /** A service without endpoints. */
  add(name: string, clusterIP: string): void;
  write(now?: number): Writing;
}

/** A ruleset of `services` with `endpoints` each. */
export function manyServices(ruleset: Ruleset, services: number, endpoints: number): ManyServices {
  const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
  const add = (name: string, clusterIP: string): void => cluster.service(name, service(name, { clusterIP }));
  const spread = (n: number, first: number): void => {
    const address = (e: number): string => `10.${n >> 8}.${n & 255}.${e + 1}`;
    const all = Array.from({ length: endpoints }, (_, e) => endpoint(address(first + e)));
    cluster.slice(`ns/s${n}`, `ns/s${n}`, slice(all));
  };
  ruleset.surround(golden.surroundings());
  for (let n = 0; n < services; n++) {
    add(`ns/s${n}`, `172.30.${n >> 8}.${n & 255}`);
    spread(n, 0);
  }
  return {
    spread,
    add,
    write(now = 0) {
      for (const { service: key, ports } of cluster.take()) ruleset.put(key, ports.IPv4);
      return ruleset.write(now);
    },
  };
}
