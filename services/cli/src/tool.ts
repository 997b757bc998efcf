import { type Flags, type FlagValues, readCommandLine, usageExit } from "@orch/runtime/flags/flags.js";
import { version } from "@orch/runtime/version.js";
import { messageOf } from "@orch/status/message-of.js";
import { print, printError } from "./print.js";

/** A command that does one thing and ends. */
export interface Tool<F extends Flags> {
  readonly name: string;
  readonly description: string;
  readonly flags: F;
  /** A flag that has no default. */
  readonly needed?: keyof F & string;
}

/** Exit code of a tool that could not do its work; a wrong command line has another. */
export const failed = 1;

/** Runs a tool with the values of its flags; gives its exit code. What it throws is one line on standard error. */
export async function runTool<F extends Flags>(
  { name, description, flags, needed }: Tool<F>,
  argv: readonly string[],
  run: (values: FlagValues<F>) => Promise<number>,
): Promise<number> {
  const line = readCommandLine({ name, description, flags, version: version.gitVersion }, argv);
  if (!line.run) {
    (line.exitCode === 0 ? print : printError)(line.text);
    return line.exitCode;
  }
  if (needed !== undefined && !line.given.has(needed)) {
    printError(`${name}: --${needed} is needed\n`);
    return usageExit;
  }
  try {
    return await run(line.values);
  } catch (error) {
    printError(`${name}: ${messageOf(error)}\n`);
    return failed;
  }
}
