import type { ConfigValue } from "./flags/flag-types.js";
import type { Occurrences } from "./flags/flags.js";

/**
 * A component configuration as `--config` takes it beside the values of flags, or instead of them: some of its fields stand
 * for flags. A program that has one reads it here; the command line wins, then the values of flags, then it.
 */
export interface ComponentFile {
  /** Reads documents of other kinds than the program's values of flags; none of them: what an empty one says. */
  read(texts: readonly string[]): ReadComponent;
}

export type ReadComponent =
  | { readonly ok: true; readonly component: Component }
  /** Each with the path of the field, where one is to blame. */
  | { readonly ok: false; readonly problems: readonly string[] };

export interface Component {
  /** Names of the flags that fields stand for. */
  readonly flags: ReadonlySet<string>;
  /** What the fields say of flags, where that is not their default. */
  readonly occurrences: Occurrences;
  /** For the log at start, a line each. */
  readonly notes: readonly string[];
  /** The document with the values of these flags in their fields, and what reading it would say of flags. */
  print(values: Readonly<Record<string, ConfigValue>>): { readonly text: string; readonly occurrences: Occurrences };
}
