import { commonFlags } from "@orch/runtime/common-flags.js";
import { durationFlag, intFlag, listFlag, stringFlag } from "@orch/runtime/flag-types.js";
import type { StartedProgram } from "@orch/runtime/start-program.js";
import { etcdFlags } from "@orch/runtime/store-flags.js";
import { managerFlags } from "@orch/service-controller-manager/flags.js";
import { servingFlags } from "@orch/service-gateway/flags.js";
import { resourceFlags } from "@orch/service-resource/flags.js";
import { watchCacheFlags } from "@orch/service-watch-cache/flags.js";

/** What the program is called and takes: all that a help text needs. */
export const commandLine = (defaultDataDir: string) => ({
  name: "orch",
  description: "A cluster API server in one process, on the embedded store or on etcd.",
  flags: {
    "data-dir": stringFlag(defaultDataDir, {
      group: "Store",
      word: "folder",
      help: "where certificates, tokens and the embedded store lie; ORCH_DATA sets the default",
    }),
    ...servingFlags,
    "gateway-workers": intFlag(0, {
      group: "Serving",
      min: 0,
      max: 64,
      help: "processes that serve the one HTTPS port and divide the limits of requests among them; 0: this process serves it",
    }),
    "store-scrub-interval": durationFlag(3_600_000, {
      group: "Store",
      help: "how often all of the embedded store is read, slowly, to find damaged entries; 0 never does",
    }),
    ...resourceFlags,
    "tls-san": listFlag([], { group: "Serving", help: "further host names and addresses of the serving certificate" }),
    ...watchCacheFlags,
    ...managerFlags,
    ...etcdFlags,
    ...commonFlags,
  },
});

export type Started = StartedProgram<ReturnType<typeof commandLine>["flags"]>;
