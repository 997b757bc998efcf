/** What the commands about the past know of their process. */
export interface HistoryWorld {
  /** As its user calls it: `orch`, or `kubectl orch`. */
  readonly program: string;
  /** The variable of the environment that names client configuration files, several with colons between. */
  readonly configVariable: string;
  /** Where the file is that is taken when nothing is said; undefined where there is no such place. */
  readonly usualConfig: string | undefined;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether a person reads the output, and whether one can be asked. */
  readonly isTerminal: { readonly output: boolean; readonly input: boolean };
  print(text: string): void;
  printError(text: string): void;
  /** A line that a person types. */
  ask(question: string): Promise<string>;
}

/** A command that cannot be run as it was given. */
export class Unusable extends Error {}
