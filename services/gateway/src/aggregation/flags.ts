import { boolFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";

const group = "Aggregation";

/** Flags of requests to servers of others; the reference's names. */
export const aggregationFlags = {
  "proxy-client-cert-file": stringFlag("", {
    ...{ group, word: "file" },
    help: "client certificate by which the servers of APIServices know this server",
  }),
  "proxy-client-key-file": stringFlag("", { group, word: "file", help: "key of that certificate" }),
  "enable-aggregator-routing": boolFlag(false, {
    group,
    help: "requests to the servers of APIServices go to an endpoint of their Service instead of its cluster address",
  }),
  "aggregator-reject-forwarding-redirect": boolFlag(true, {
    group,
    help: "a redirect by the server of an APIService reaches the client without the place that it leads to",
  }),
} as const;

export type AggregationFlagValues = FlagValues<typeof aggregationFlags>;
