import { historyFlags } from "@orch/access/object-history.js";
import { commonFlags } from "@orch/runtime/flags/common-flags.js";
import { egressFlags } from "@orch/runtime/flags/egress-flags.js";
import { boolFlag, durationFlag, enumFlag, intFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import { spoolFlags } from "@orch/runtime/flags/spool-flags.js";
import { etcdFlags } from "@orch/runtime/flags/store-flags.js";
import type { StartedProgram } from "@orch/runtime/start-program.js";
import { sinkFlags } from "@orch/service-audit/flags.js";
import { managerFlags } from "@orch/service-controller-manager/flags.js";
import { consoleFlags } from "@orch/service-gateway/console/flags.js";
import { servingFlags } from "@orch/service-gateway/flags.js";
import { encryptionFlags } from "@orch/service-kms/flags.js";
import { simulationFlags } from "@orch/service-node-simulator/flags.js";
import { resourceFlags } from "@orch/service-resource/flags.js";
import { pluginFlag } from "@orch/service-scheduler/flags.js";
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
    "store-in-memory": boolFlag(false, {
      group: "Store",
      help: "the embedded store keeps everything in memory and writes nothing: all of it ends with the process; for tests",
    }),
    "store-scrub-interval": durationFlag(3_600_000, {
      group: "Store",
      help: "how often all of the embedded store is read, slowly, to find damaged entries; 0 never does",
    }),
    ...resourceFlags,
    ...historyFlags("on"),
    ...consoleFlags(true),
    "own-pki": boolFlag(true, {
      group: "Serving",
      help: "an authority, certificates, an administrator and a key of service accounts are made in the data folder where flags name none; without, the flags name all that is wanted, and no controllers run",
    }),
    "tls-san": listFlag([], { group: "Serving", help: "further host names and addresses of the serving certificate" }),
    ...watchCacheFlags,
    ...sinkFlags,
    ...spoolFlags,
    ...managerFlags,
    "simulate-nodes": intFlag(0, {
      group: "Nodes",
      min: 0,
      max: 20_000,
      help: "nodes that are made and whose agents are played here: pods on them look as if they ran, and nothing runs",
    }),
    ...simulationFlags,
    scheduler: boolFlag(false, {
      group: "Scheduler",
      help: "whether pods are given nodes here; with --simulate-nodes they are, unless this says otherwise",
    }),
    "scheduler-config": stringFlag("", {
      group: "Scheduler",
      word: "file",
      help: "the scheduler's configuration: profiles, plugins, their arguments",
    }),
    "scheduler-plugin": pluginFlag,
    proxy: enumFlag(["off", "nftables", "iptables"], "off", {
      group: "Proxy",
      help: "how the rules of services are written into this machine's kernel; needs its rights",
    }),
    "proxy-config": stringFlag("", {
      group: "Proxy",
      word: "file",
      help: "the proxy's configuration, but for its mode",
    }),
    ...encryptionFlags,
    ...etcdFlags,
    ...commonFlags,
    ...egressFlags,
  },
});

export type Started = StartedProgram<ReturnType<typeof commandLine>["flags"]>;
