import { usageExit } from "@orch/runtime/flags/flags.js";
import type { Command } from "../command.js";
import { print, printError } from "../print.js";
import { candidates } from "./candidates.js";
import { askWord, scripts } from "./scripts.js";

const shells = Object.keys(scripts);

/** `orch completion bash`: what a shell sources to complete commands and flags. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    word: "completion",
    description: `the script by which a shell completes commands and flags: ${shells.join(", ")}`,
    flags: async () => [],
    words: shells,
    async run(argv, world) {
      const [shell = "", dashes, ...words] = argv;
      if (shell === askWord && dashes === "--") {
        for (const word of await candidates(commands(), words, world)) print(`${word}\n`);
        return 0;
      }
      const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
      if (script !== undefined && argv.length === 1) {
        print(script);
        return 0;
      }
      const usage = `usage: orch completion ${shells.join("|")}\n\n  source <(orch completion bash)\n`;
      const isAsked = shell === "--help" || shell === "-h";
      (isAsked ? print : printError)(usage);
      return isAsked ? 0 : usageExit;
    },
  };
}
