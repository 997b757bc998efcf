import { commonFlags } from "./common-flags.js";
import { stringFlag } from "./flag-types.js";
import { releaseFlags } from "./release-flags.js";
import { opsFlags, rpcFlags } from "./rpc-flags.js";
import { serviceFlags } from "./service-flags.js";

/** Gateways trace what it asks for. */
const { "tracing-config-file": _tracing, ...untraced } = commonFlags;

/** The flag of a service that is a client of gateways. */
export const serverFlag = {
  orchconfig: stringFlag("", {
    group: "Server",
    word: "file",
    help: "client configuration file that names the server and how to be known to it",
  }),
} as const;

/** What every service takes that is a client of gateways, and serves nothing but health and metrics. */
export const clientServiceFlags = {
  ...untraced,
  ...releaseFlags,
  ...rpcFlags,
  ...opsFlags,
  "bind-address": serviceFlags["bind-address"],
  "metrics-port": serviceFlags["metrics-port"],
  "livez-grace-period": serviceFlags["livez-grace-period"],
  "api-dialect": serviceFlags["api-dialect"],
} as const;
