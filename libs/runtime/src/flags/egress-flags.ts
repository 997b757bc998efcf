import { stringFlag } from "./flag-types.js";

/** Flags of a process that opens connections to others than its peers; the reference server's name. */
export const egressFlags = {
  "egress-selector-config-file": stringFlag("", {
    group: "Egress",
    word: "file",
    help: "EgressSelectorConfiguration: by which proxies connections to the store, to webhooks and issuers and into the cluster go; straight where empty",
  }),
} as const;
