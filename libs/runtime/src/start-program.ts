import { type Flags, type FlagValues, readCommandLine, usageExit } from "./flags.js";
import { version } from "./version.js";

/** What a program's `main.ts` begins with. */
export interface ProgramText<F extends Flags> {
  readonly name: string;
  readonly description: string;
  readonly flags: F;
}

export interface StartedProgram<F extends Flags> {
  readonly values: FlagValues<F>;
  readonly given: ReadonlySet<string>;
  /** Ends the process as a command line does that can not be read: the sentence on standard error, code 2. */
  readonly refuse: (problem: string) => never;
}

/** The values of a command line; prints help, version or what is wrong with it and ends the process where that is all. */
export function startProgram<F extends Flags>(program: ProgramText<F>, argv: readonly string[]): StartedProgram<F> {
  const line = readCommandLine({ ...program, version: version.gitVersion }, argv);
  const refuse = (problem: string): never => {
    process.stderr.write(`${program.name}: ${problem}\n`);
    return process.exit(usageExit);
  };
  if (line.run) return { values: line.values, given: line.given, refuse };
  (line.exitCode === 0 ? process.stdout : process.stderr).write(line.text);
  return process.exit(line.exitCode);
}
