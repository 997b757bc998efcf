import type { ComponentFile } from "./component-file.js";
import { componentConfigFlags, configFlags } from "./flags/config-flags.js";
import { type Flags, type FlagValues, type Occurrences, readCommandLine, usageExit } from "./flags/flags.js";
import { version } from "./version.js";

/** What a program's `main.ts` begins with. */
export interface ProgramText<F extends Flags> {
  readonly name: string;
  readonly description: string;
  readonly flags: F;
  /** What else its `--config` takes; loaded where there is such a file. The values are those of flags alone. */
  readonly component?: (values: FlagValues<F>) => Promise<ComponentFile>;
}

export interface StartedProgram<F extends Flags> {
  readonly values: FlagValues<F>;
  readonly given: ReadonlySet<string>;
  /** What a component configuration says that the log should tell at start. */
  readonly notes: readonly string[];
  /** Texts of the documents of `--config` that are a component configuration. */
  readonly documents: readonly string[];
  /** The command line, with the program's name first. */
  readonly argv: readonly string[];
  /** Ends the process as a command line does that can not be read: the sentence on standard error, code 2. */
  readonly refuse: (problem: string) => never;
}

/** The flags that tell of files, in the words of the program. */
export const configFlagsOf = <F extends Flags>({ component }: ProgramText<F>) =>
  component === undefined ? configFlags : componentConfigFlags;

/**
 * The values of a command line and of the file that it names; prints help, version, the whole configuration or what is
 * wrong with it and ends the process where that is all.
 */
export async function startProgram<F extends Flags>(
  program: ProgramText<F>,
  argv: readonly string[],
): Promise<StartedProgram<F>> {
  const refuse = (problem: string): never => {
    process.stderr.write(`${program.name}: ${problem}\n`);
    return process.exit(usageExit);
  };
  const end = ({ exitCode, text }: { readonly exitCode: number; readonly text: string }): never => {
    (exitCode === 0 ? process.stdout : process.stderr).write(text);
    return process.exit(exitCode);
  };
  const words = [program.name, ...argv];
  const whole = { ...program, flags: { ...program.flags, ...configFlagsOf(program) }, version: version.gitVersion };
  const own = readCommandLine<typeof configFlags>(whole, argv);
  if (!own.run) return end(own);
  const { config, "print-config": print } = own.values;
  const lineOf = (occurrences: Occurrences) => {
    const line = readCommandLine<F>(whole, argv, occurrences);
    return line.run ? line : end(line);
  };
  // A start without a file does not load what reads one.
  if (config === "" && !print) return { ...lineOf([]), notes: [], documents: [], argv: words, refuse };
  const files = await import("./flags/config-file.js");
  const file = files.readConfigFile(program, config);
  if (!file.ok) return refuse(file.problems.join("; "));
  const component = await program.component?.(lineOf(file.occurrences).values);
  const read = component?.read(file.others);
  if (read?.ok === false) return refuse(read.problems.map((each) => `--config: ${config}: ${each}`).join("; "));
  const said = new Set(file.occurrences.map(({ name }) => name));
  const ofComponent = read?.component.occurrences.filter(({ name }) => !said.has(name)) ?? [];
  const line = lineOf([...ofComponent, ...file.occurrences]);
  if (print) return end({ exitCode: 0, text: files.printConfig(program, line.values, read?.component) });
  const notes = read?.component.notes ?? [];
  return { values: line.values, given: line.given, notes, documents: file.others, argv: words, refuse };
}
