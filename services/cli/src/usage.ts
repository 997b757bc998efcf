import { nearest } from "@orch/status/nearest.js";
import type { CommandGroup } from "./command.js";

/** What `orch --help` prints. */
export function usage(groups: readonly CommandGroup[]): string {
  const width = Math.max(...groups.flatMap(({ commands }) => commands.map(({ word }) => word.length)));
  const parts = groups.map(({ title, commands }) => {
    const lines = commands.map(({ word, description }) => `  ${word.padEnd(width)}  ${description}`);
    return `${title}:\n${lines.join("\n")}\n`;
  });
  return ["usage: orch COMMAND [flags]      orch COMMAND --help tells more\n", ...parts].join("\n");
}

/** The sentence about a word that is no command. */
export function unknownCommand(word: string, groups: readonly CommandGroup[]): string {
  const words = groups.flatMap(({ commands }) => commands.map((command) => command.word));
  const found = word.length > 100 ? undefined : nearest(word, words);
  const hint = found === undefined ? "; orch --help lists the commands" : ` (did you mean ${found}?)`;
  return `orch: unknown command: ${JSON.stringify(word.slice(0, 100))}${hint}\n`;
}
