import { boolFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { configFlag, machineFlags, nodeFlags } from "../init/flags.js";

const group = "Discovery";

export const joinFlags = {
  ...configFlag,
  token: stringFlag("", { group, word: "token", help: "for discovery and for the node's first certificate" }),
  "discovery-token": stringFlag("", {
    ...{ group, word: "token" },
    help: "by which what the cluster tells of itself is checked",
  }),
  "discovery-token-ca-cert-hash": listFlag([], {
    group,
    help: "hashes of the authority's public key: sha256:HEX, comma separated",
  }),
  "discovery-token-unsafe-skip-ca-verification": boolFlag(false, {
    group,
    help: "join without a hash: who knows the token may pass for the cluster",
  }),
  "discovery-file": stringFlag("", {
    ...{ group, word: "file" },
    help: "client configuration, a path or an https address, instead of a token",
  }),
  "tls-bootstrap-token": stringFlag("", { group, word: "token", help: "for the node's first certificate" }),
  "control-plane": boolFlag(false, { group: "Machine", help: "make this one more machine of the control plane" }),
  ...nodeFlags,
  ...machineFlags,
} as const;

export type JoinValues = FlagValues<typeof joinFlags>;
