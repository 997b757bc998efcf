import { commonFlags } from "./common-flags.js";
import { durationFlag, enumFlag, intFlag, stringFlag } from "./flag-types.js";
import { releaseFlags } from "./release-flags.js";
import { rpcServerFlags } from "./rpc-flags.js";
import { etcdFlags } from "./store-flags.js";

/** Flags of a service that other services call and that opens the store. */
export const serviceFlags = {
  ...commonFlags,
  ...etcdFlags,
  ...releaseFlags,
  ...rpcServerFlags,
  "bind-address": stringFlag("127.0.0.1", { group: "Serving", word: "address", help: "address that peers connect to" }),
  "rpc-port": intFlag(0, { group: "Serving", min: 0, max: 65535, help: "port for peers; 0 picks a free one" }),
  "metrics-port": intFlag(0, {
    group: "Serving",
    min: 0,
    max: 65535,
    help: "port for /metrics and health checks; 0 picks a free one",
  }),
  "livez-grace-period": durationFlag(0, {
    group: "Process",
    help: "time from the start in which livez does not ask the post-start hooks",
  }),
  "api-dialect": enumFlag(["orch", "kubernetes"], "orch", {
    group: "API",
    help: "names of groups, media types and keys; the same in every service of a cluster",
  }),
} as const;
