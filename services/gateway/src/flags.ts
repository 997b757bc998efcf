import { authenticationFlags, authorizationFlags, serviceAccountFlags } from "@orch/access/flags.js";
import { historyFlags } from "@orch/access/object-history.js";
import { defaultAlwaysAllowPaths } from "@orch/auth/fixed-authorizers.js";
import { boolFlag, durationFlag, enumFlag, intFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import { profilingFlag } from "@orch/runtime/flags/profiling-flag.js";
import { releaseFlags } from "@orch/runtime/flags/release-flags.js";
import { aggregationFlags } from "./aggregation/flags.js";
import { auditFlags } from "./audit/flags.js";
import { consoleFlags } from "./console/flags.js";
import { nodeFlags } from "./nodes/flags.js";
import { tlsFlags } from "./tls/flags.js";

/** Flags of everything that serves the API; the reference server's names where it has them. */
export const servingFlags = {
  "bind-address": stringFlag("127.0.0.1", {
    group: "Serving",
    word: "address",
    help: "address that clients connect to",
  }),
  "secure-port": intFlag(6443, { group: "Serving", min: 0, max: 65535, help: "HTTPS port; 0 picks a free one" }),
  "request-timeout": durationFlag(60_000, {
    group: "Serving",
    help: "time that a request other than a watch may take",
  }),
  "min-request-timeout": durationFlag(1_800_000, {
    group: "Serving",
    help: "least time of a watch without timeoutSeconds; each lasts a random time up to twice as long",
  }),
  "max-requests-inflight": intFlag(400, {
    group: "Flow control",
    min: 0,
    max: 1_000_000,
    help: "requests that only read and run at once; with the next flag's, the seats that priority levels divide; 0 without priority and fairness: any number",
  }),
  "max-mutating-requests-inflight": intFlag(200, {
    group: "Flow control",
    min: 0,
    max: 1_000_000,
    help: "requests that change something and run at once; counts as the flag before",
  }),
  "enable-priority-and-fairness": boolFlag(true, {
    group: "Flow control",
    help: "requests share seats and queues as FlowSchemas and PriorityLevelConfigurations say; else two plain bounds hold",
  }),
  "http2-max-streams-per-connection": intFlag(250, {
    group: "Serving",
    min: 1,
    max: 1_000_000,
    help: "requests that an HTTP/2 connection may have open at once; each watch is one",
  }),
  ...tlsFlags,
  ...authenticationFlags,
  ...serviceAccountFlags,
  ...authorizationFlags,
  ...aggregationFlags,
  ...nodeFlags,
  ...auditFlags,
  ...historyFlags("off"),
  ...consoleFlags(false),
  "authorization-always-allow-paths": listFlag(defaultAlwaysAllowPaths, {
    group: "Authorization",
    help: "paths that everyone may get; a closing * stands for everything below",
  }),
  "livez-grace-period": durationFlag(0, {
    group: "Process",
    help: "time from the start in which livez does not ask the post-start hooks",
  }),
  "shutdown-grace-duration": durationFlag(10_000, {
    group: "Process",
    help: "time that running requests have to end once serving stops",
  }),
  "shutdown-send-retry-after": boolFlag(false, {
    group: "Process",
    help: "while running requests end, others are refused with 429 and a time to come again instead of being answered",
  }),
  ...profilingFlag(true),
  "api-dialect": enumFlag(["orch", "kubernetes"], "orch", {
    group: "API",
    help: "names of groups, media types and keys; chosen once for a cluster",
  }),
  "list-extensions": enumFlag(["auto", "on", "off"], "auto", {
    group: "API",
    help: "lists take scope=permitted, sort= and fields=, and label selectors take ||; auto: in the orch dialect alone",
  }),
  "runtime-config": listFlag([], {
    group: "API",
    help: [
      "versions and resources that are served, comma separated, each <key>[=true|false]; the most special key wins:",
      "api/all, api/ga, api/beta, api/alpha",
      "<group>/<version>, v1 for the core group",
      "<group>/<version>/<resource>",
    ].join("\n"),
  }),
  ...releaseFlags,
} as const;
