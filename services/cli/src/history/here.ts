import { createInterface } from "node:readline/promises";
import { print, printError } from "../print.js";
import type { HistoryWorld } from "./world.js";

/** The world of this process. */
export function historyWorld({
  environment,
  now,
  ...named
}: Pick<HistoryWorld, "program" | "configVariable" | "usualConfig" | "environment" | "now">): HistoryWorld {
  return {
    ...named,
    environment,
    now,
    isTerminal: { output: process.stdout.isTTY === true, input: process.stdin.isTTY === true },
    print,
    printError,
    async ask(question) {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await lines.question(question);
      } finally {
        lines.close();
      }
    },
  };
}
