import type { Flags } from "@orch/runtime/flags/flags.js";

/** What a command knows of its process. */
export interface World {
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** The file that was started, for those that start it again. */
  readonly script: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A word after `orch`. */
export interface Command {
  readonly word: string;
  /** One line of the usage. */
  readonly description: string;
  /** Its flags as they are declared; of a command that reads its arguments itself their names, without dashes. */
  readonly flags: (world: World) => Promise<Flags | readonly string[]>;
  /** Words that may follow it. */
  readonly words?: readonly string[];
  /** Runs it with what stands after the word; gives the exit code where it ends by itself. */
  readonly run: (argv: readonly string[], world: World) => Promise<number | undefined>;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

export const areNames = (flags: Flags | readonly string[]): flags is readonly string[] => Array.isArray(flags);
