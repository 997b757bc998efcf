import { electionFlags } from "@orch/runtime/flags/election-flags.js";
import { listFlag } from "@orch/runtime/flags/flag-types.js";

export const pluginFlag = listFlag([], {
  group: "Scheduler",
  help: "files of JavaScript with plugins of your own, comma separated: they run in this process, with its rights",
});

export const schedulerElection = electionFlags({ does: "schedule", is: "scheduler" });
