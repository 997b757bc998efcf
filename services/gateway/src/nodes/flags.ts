import { durationFlag, intFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";

const group = "Nodes";

/** In the order of preference. */
export const addressTypes = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"] as const;

/** Flags of the way to nodes' agents; the reference's names. */
export const nodeFlags = {
  "kubelet-preferred-address-types": listFlag(addressTypes, {
    group,
    help: "types of the addresses by which nodes' agents are reached, the first that a node has, comma separated",
  }),
  "kubelet-port": intFlag(10_250, {
    ...{ group, min: 1, max: 65_535 },
    help: "port of the agents of nodes whose status names none",
  }),
  "kubelet-client-certificate": stringFlag("", {
    ...{ group, word: "file" },
    help: "client certificate by which nodes' agents know this server",
  }),
  "kubelet-client-key": stringFlag("", { group, word: "file", help: "key of that certificate" }),
  "kubelet-certificate-authority": stringFlag("", {
    ...{ group, word: "file" },
    help: "certificates by which those of nodes' agents are checked; without, they are not",
  }),
  "max-node-connections-per-user": intFlag(1_000, {
    ...{ group, min: 0 },
    help: "logs, exec, port-forward and proxied requests that a user may have open at once; 0 is no bound",
  }),
  "kubelet-timeout": durationFlag(5_000, { group, help: "in which a connection to a node's agent must be there" }),
} as const;

export type NodeFlagValues = FlagValues<typeof nodeFlags>;
