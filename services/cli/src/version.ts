import { usageExit } from "@orch/runtime/flags/flags.js";
import { version } from "@orch/runtime/version.js";
import type { Command } from "./command.js";
import { print, printError } from "./print.js";

/** The keys of the API's `/version`, so that one script reads both. */
export const versionCommand: Command = {
  word: "version",
  description: "what this build is; --json as the API tells it",
  flags: async () => ["json"],
  async run(argv) {
    if (argv.length === 0) print(`${version.gitVersion}\n`);
    else if (argv.length === 1 && argv[0] === "--json") print(`${JSON.stringify(version, undefined, 2)}\n`);
    else {
      printError("usage: orch version [--json]\n");
      return usageExit;
    }
    return 0;
  },
};
