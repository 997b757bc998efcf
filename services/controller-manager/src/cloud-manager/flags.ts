import { electionFlags } from "@orch/runtime/flags/election-flags.js";
import { durationFlag, intFlag, listFlag } from "@orch/runtime/flags/flag-types.js";
import { cloudFlags } from "../clouds/cloud-flags.js";
import { cloudControllerNames } from "../controller.js";
import { migrationFlags } from "../leader-migration/migration-flags.js";

const group = "Controllers";

/** Flags of the program whose controllers speak to a cloud; the reference's names. */
export const cloudManagerFlags = {
  controllers: listFlag(["*"], {
    group,
    help: [
      "controllers that run, comma separated: '*' is all of them, 'foo' one, '-foo' not that one; empty is none:",
      ...cloudControllerNames,
    ].join("\n"),
  }),
  "concurrent-node-syncs": intFlag(1, { ...{ group, min: 1 }, help: "nodes that are told what they are at once" }),
  "node-status-update-frequency": durationFlag(300_000, {
    group,
    help: "after which the cloud is asked for the addresses of every node again",
  }),
  ...cloudFlags,
  ...migrationFlags,
  ...electionFlags({ does: "run the controllers", is: "cloud controller manager" }),
} as const;
