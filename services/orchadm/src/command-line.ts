import { resolve } from "node:path";
import { createNaming } from "@orch/naming/naming.js";
import { type Flags, type FlagValues, readCommandLine, usageExit } from "@orch/runtime/flags/flags.js";
import { version } from "@orch/runtime/version.js";
import { didYouMean } from "@orch/status/nearest.js";
import { commonFlags } from "./common-flags.js";
import { createMachine } from "./machine/machine.js";
import type { Tools, World } from "./world.js";

export type { Flags };

/** What stood on a command line. */
export interface Given<F extends Flags> {
  readonly values: FlagValues<F & typeof commonFlags>;
  /** Names of the flags that stood there. */
  readonly given: ReadonlySet<string>;
  /** What was no flag. */
  readonly words: readonly string[];
}

interface CommandText<F extends Flags> {
  readonly word: string;
  readonly description: string;
  readonly flags: F;
  /** How words are called that it takes, for its help: `[api-server-endpoint]`. None where absent. */
  readonly takes?: string;
  /** What comes after its name. */
  readonly commands?: readonly CommandNode[];
  /** Gives the exit code. What it throws is told as one line. */
  readonly run: (line: Given<F>, tools: Tools) => Promise<number>;
}

/** A word of the command line, as help and completion see it. */
export interface CommandNode {
  readonly word: string;
  readonly description: string;
  readonly flags: Flags;
  readonly takes?: string;
  readonly commands: readonly CommandNode[];
  /** Reads the rest of the line and runs; `path` is the names that led here. Absent: it only has commands. */
  readonly run?: (argv: readonly string[], world: World, path: string) => Promise<number>;
}

/** One declaration of a command: its flags reach its run, its help and completion from here. */
export function command<F extends Flags>(text: CommandText<F>): CommandNode {
  const { word, description, takes, commands = [] } = text;
  const flags = { ...text.flags, ...commonFlags };
  return {
    ...{ word, description, flags, commands },
    ...(takes === undefined ? {} : { takes }),
    async run(argv, world, path) {
      const { options, words } = parted(argv, flags);
      const line = readCommandLine({ name: path, description, takes, flags, version: version.gitVersion }, options);
      if (!line.run) {
        if (line.exitCode === 0) world.print(`${line.text}${listed(commands)}`);
        else world.printError(line.text);
        return line.exitCode;
      }
      if (takes === undefined && words.length > 0) {
        world.printError(
          `${path}: unknown command: ${JSON.stringify(words[0])}${didYouMean(words[0] ?? "", wordsOf(commands))}\n`,
        );
        return usageExit;
      }
      const { values, given } = line;
      return text.run({ values, given, words }, toolsOf(world, values));
    },
  };
}

function toolsOf(world: World, values: FlagValues<typeof commonFlags>): Tools {
  const { rootfs, v } = values;
  return {
    ...world,
    naming: createNaming(values["api-dialect"]),
    machine: createMachine(rootfs === "" ? "" : resolve(rootfs)),
    version: `v${version.release}.0`,
    trace: v > 0 ? world.print : () => {},
  };
}

/** Commands under one name that does nothing by itself. */
export const group = (text: Pick<CommandNode, "word" | "description" | "commands">): CommandNode => ({
  ...text,
  flags: {},
});

/** Short forms of flags that have them. */
const shortForms: Readonly<Record<string, string>> = { "-o": "--output", "-f": "--force", "-y": "--yes" };

/** Flags with their values on one side, other words on the other; after `--` there are no flags. */
function parted(argv: readonly string[], flags: Flags): { readonly options: string[]; readonly words: string[] } {
  const options: string[] = [];
  const words: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? "";
    if (argument === "--") {
      words.push(...argv.slice(i + 1));
      break;
    }
    if (!argument.startsWith("-") || argument === "-") {
      words.push(argument);
      continue;
    }
    const name = Object.hasOwn(shortForms, argument) ? (shortForms[argument] ?? argument) : argument;
    options.push(name);
    const flag = Object.hasOwn(flags, name.replace(/^--?/, "")) ? flags[name.replace(/^--?/, "")] : undefined;
    const value = argv[i + 1];
    if (flag === undefined || flag.type === "bool" || value === undefined) continue;
    options.push(value);
    i += 1;
  }
  return { options, words };
}

const wordsOf = (commands: readonly CommandNode[]): readonly string[] => commands.map(({ word }) => word);

function listed(commands: readonly CommandNode[]): string {
  if (commands.length === 0) return "";
  const width = Math.max(...wordsOf(commands).map((word) => word.length));
  const lines = commands.map(({ word, description }) => `  ${word.padEnd(width)}  ${description}`);
  return `\nCommands:\n${lines.join("\n")}\n`;
}

const helpWords: readonly (string | undefined)[] = [undefined, "--help", "-h", "help"];

/** Runs the command that a line names: the longest path of words that is one. */
export async function runCommand(
  node: CommandNode,
  argv: readonly string[],
  world: World,
  path = node.word,
): Promise<number> {
  const [word, ...rest] = argv;
  const next = node.commands.find((each) => each.word === word);
  if (next !== undefined) return runCommand(next, rest, world, `${path} ${next.word}`);
  if (node.run !== undefined) return node.run(argv, world, path);
  if (helpWords.includes(word)) {
    world.print(`Usage: ${path} COMMAND [flags]\n\n${node.description}\n${listed(node.commands)}`);
    return 0;
  }
  const text = (word ?? "").slice(0, 100);
  if (text.startsWith("-"))
    world.printError(`${path}: unknown flag: ${text}: flags stand behind the command's words\n`);
  else {
    const hint = didYouMean(text, wordsOf(node.commands));
    world.printError(`${path}: unknown command: ${JSON.stringify(text)}${hint}\n`);
  }
  return usageExit;
}
