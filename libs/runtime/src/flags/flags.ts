import { nearest } from "@orch/status/nearest.js";
import { Command, Option } from "commander";
import type { Flag, HelpTopic } from "./flag-types.js";

export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** The flags' values under their own names: `values["secure-port"]`. */
export type FlagValues<F extends Flags> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

export interface Program<F extends Flags> {
  readonly name: string;
  readonly description: string;
  /** Words that may stand beside flags, for its help: `[endpoint]`. */
  readonly takes?: string | undefined;
  /** What `--version` prints. */
  readonly version: string;
  readonly flags: F;
}

export type CommandLine<F extends Flags> =
  | {
      readonly run: true;
      readonly values: FlagValues<F>;
      /** Names of the flags that stood on the command line or in the file. */
      readonly given: ReadonlySet<string>;
    }
  /** Print `text` (standard output for code 0, else standard error) and exit with `exitCode`. */
  | { readonly run: false; readonly text: string; readonly exitCode: 0 | 2 };

/** Occurrences of flags in a configuration file, in its order; each can be read. */
export type Occurrences = readonly { readonly name: string; readonly text: string }[];

/** Exit code of a command line that can not be read; 1 is a process that failed. */
export const usageExit = 2;

/**
 * Reads a command line (without the interpreter and the script). `--name=value`, `--name value`, `--bool`,
 * `--bool=false`; of repeated flags the last wins, lists and maps grow. Positional arguments and unknown flags
 * are refused. A flag of the command line takes the place of all its occurrences in a file. Nothing is printed and
 * nobody exits: `main.ts` does.
 */
export function readCommandLine<F extends Flags>(
  program: Program<F>,
  argv: readonly string[],
  file: Occurrences = [],
): CommandLine<F> {
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(program.flags)) values[name] = flag.default;
  const given = new Set<string>();
  const inFile = new Set<string>();
  const misuse = (problem: string): CommandLine<F> => ({
    run: false,
    exitCode: usageExit,
    text: `${program.name}: ${problem}\n`,
  });
  for (const { name, text } of file) {
    const read = ownFlag(program.flags, name)?.read(text, inFile.has(name) ? values[name] : undefined);
    if (read?.ok !== true) return misuse(`invalid value ${JSON.stringify(text)} of ${JSON.stringify(name)} in a file`);
    values[name] = read.value;
    inFile.add(name);
  }
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? "";
    if (argument === "--help" || argument === "-h") return { run: false, exitCode: 0, text: helpText(program) };
    if (argument.startsWith("--help=")) {
      const asked = argument.slice("--help=".length);
      const topic = topicsOf(program).find(({ name }) => name === asked);
      if (topic !== undefined) return { run: false, exitCode: 0, text: `${topic.text()}\n` };
      return misuse(`no help on "${asked}"; ${["--help", ...topicFlags(program)].join(" and ")} print what there is`);
    }
    if (argument === "--version") return { run: false, exitCode: 0, text: `${program.name} ${program.version}\n` };
    const parts = /^--?([^=-][^=]*)(?:=([\s\S]*))?$/.exec(argument);
    if (parts === null) return misuse(`unexpected argument: ${argument}`);
    const [, name = "", attached] = parts;
    const flag = argument.startsWith("--") || name.length === 1 ? ownFlag(program.flags, name) : undefined;
    if (flag === undefined) return misuse(`unknown flag: ${argument.split("=", 1)[0]}${suggestion(program, name)}`);
    const text = attached ?? (flag.type === "bool" ? "true" : argv[++i]);
    if (text === undefined) return misuse(`flag needs an argument: --${name}`);
    const read = flag.read(text, given.has(name) ? values[name] : undefined);
    if (!read.ok) return misuse(`invalid argument "${text}" for "--${name}" flag: ${read.problem}`);
    values[name] = read.value;
    given.add(name);
  }
  // Each value came from the flag of its name, by default or by its `read`: what FlagValues says.
  return { run: true, values: values as FlagValues<F>, given: new Set([...told(program, values, inFile), ...given]) };
}

/** A file may say every flag's value: what is the default there counts as left out. */
function told({ flags }: Program<Flags>, values: Readonly<Record<string, unknown>>, inFile: ReadonlySet<string>) {
  const text = (name: string, value: unknown): string => JSON.stringify(flags[name]?.show(value));
  return [...inFile].filter((name) => text(name, values[name]) !== text(name, flags[name]?.default));
}

function ownFlag(flags: Flags, name: string): Flag<unknown> | undefined {
  return Object.hasOwn(flags, name) ? flags[name] : undefined;
}

function topicsOf(program: Program<Flags>): readonly HelpTopic[] {
  return Object.values(program.flags).flatMap(({ topic }) => topic ?? []);
}

const topicFlags = (program: Program<Flags>): readonly string[] =>
  topicsOf(program).map(({ name }) => `--help=${name}`);

function helpText<F extends Flags>(program: Program<F>): string {
  const command = new Command(program.name)
    .description(program.description)
    .usage(program.takes === undefined ? "[flags]" : `${program.takes} [flags]`)
    .helpOption(false);
  command.configureHelp({ helpWidth: 110, sortOptions: false });
  for (const [name, flag] of Object.entries(program.flags)) {
    const dashes = name.length === 1 ? `-${name}, --${name}` : `--${name}`;
    const value = flag.type === "bool" ? "" : ` <${flag.type}>`;
    const shown = flag.shownDefault === "" ? "" : ` (default ${flag.shownDefault})`;
    command.addOption(new Option(`${dashes}${value}`, `${flag.help}${shown}`).helpGroup(`${flag.group}:`));
  }
  command.addOption(new Option("-h, --help", "print this text and exit").helpGroup("Other:"));
  for (const { name } of topicsOf(program)) {
    command.addOption(new Option(`--help=${name}`, `print all ${name} and exit`).helpGroup("Other:"));
  }
  command.addOption(new Option("--version", "print the version and exit").helpGroup("Other:"));
  return command.helpInformation();
}

function suggestion<F extends Flags>(program: Program<F>, name: string): string {
  const found = nearest(name.replaceAll("_", "-"), [...Object.keys(program.flags), "help", "version"]);
  return found === undefined ? "; --help lists the flags" : ` (did you mean --${found}?)`;
}
