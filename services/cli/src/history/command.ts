import { parseArgs } from "node:util";
import { printYaml } from "@orch/codec/yaml.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { showDeleted } from "./deleted.js";
import { showDiff } from "./diff.js";
import { rollBackNamespace } from "./namespace/roll-back.js";
import { historyDocument, type Named, readHistory } from "./past.js";
import { rollBack, undelete } from "./restore.js";
import { hasHistory, nameOf, reach, resourceOf, type Server } from "./server.js";
import { historyText } from "./text.js";
import { helpOf, options, optionsOf, type Word } from "./usage.js";
import { type HistoryWorld, Unusable } from "./world.js";

/** Exit codes: what the server refused, and what could not be run at all. */
const [failed, unusable] = [1, 2];

export type Values = ReturnType<typeof parse>["values"];

/** A command with what it was given and the server that it is about. */
export interface Run {
  readonly word: Word;
  readonly values: Values;
  readonly words: readonly string[];
  readonly server: Server;
  readonly world: HistoryWorld;
}

/** Runs one of the commands about the past; gives the exit code. */
export async function runHistory(word: Word, args: readonly string[], world: HistoryWorld): Promise<number> {
  const say = (error: unknown): void => world.printError(`${world.program} ${word}: ${messageOf(error)}\n`);
  try {
    const { values, positionals } = parse(word, args);
    if (values.help === true) {
      world.print(`${helpOf(world.program, word)}\n`);
      return 0;
    }
    const server = await reach({
      files: filesOf(values, world),
      context: values.context,
      environment: world.environment,
      interactive: world.isTerminal.input,
      userAgent: `orch-${word}`,
    });
    try {
      return await commands[word]({ word, values, words: positionals, server, world });
    } finally {
      await server.client.close();
    }
  } catch (error) {
    say(error);
    return error instanceof ApiError ? failed : unusable;
  }
}

/** @throws Error of what the command does not take */
function parse(word: Word, args: readonly string[]) {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const taken: readonly string[] = optionsOf(word);
  const other = Object.keys(values).find((name) => !taken.includes(name));
  if (other !== undefined) throw new Unusable(`--${other} means nothing here: see --help`);
  return { values, positionals };
}

/** @throws Unusable */
function filesOf({ orchconfig, kubeconfig }: Values, world: HistoryWorld): readonly string[] {
  const flag = orchconfig ?? kubeconfig;
  if (flag !== undefined) return [flag];
  const files = (world.environment[world.configVariable] ?? "").split(":").filter((file) => file !== "");
  if (files.length > 0) return files;
  if (world.usualConfig !== undefined) return [world.usualConfig];
  throw new Unusable(`--orchconfig is needed, or ${world.configVariable} in the environment`);
}

const commands: Readonly<Record<Word, (run: Run) => Promise<number>>> = {
  history: showHistory,
  diff: (run) => showDiff(run, named(run)),
  rollback: (run) => (run.values["to-time"] === undefined ? rollBack(run, named(run)) : rollBackNamespace(run)),
  undelete: (run) => undelete(run, named(run)),
  deleted: showDeleted,
};

async function showHistory(run: Run): Promise<number> {
  const { server, world } = run;
  const of = named(run);
  const form = formOf(run.values);
  if (form === undefined) {
    world.print(`${historyText(await readHistory(server.client, of), world.now())}\n`);
  } else {
    world.print(printed(await historyDocument(server.client, of), form));
  }
  return 0;
}

/** `KIND/NAME`, or two words. @throws Unusable */
function named({ words, values, server }: Run): Named {
  const [first = "", second, ...more] = words;
  const slash = first.indexOf("/");
  const [kind, name] = slash < 0 ? [first, second ?? ""] : [first.slice(0, slash), first.slice(slash + 1)];
  const tooMany = more.length > 0 || (slash >= 0 && second !== undefined);
  if (kind === "" || name === "" || tooMany) throw new Unusable("one object is needed: KIND/NAME");
  const resource = resourceOf(server, kind);
  if (!hasHistory(resource))
    throw new Unusable(`the server keeps no history of ${nameOf(resource)} (--object-history)`);
  return { resource, name, namespace: resource.namespaced ? (values.namespace ?? server.namespace) : "" };
}

export type OutputForm = "yaml" | "json";

/** Undefined for text. @throws Unusable */
export function formOf({ output }: Values): OutputForm | undefined {
  if (output === undefined || output === "yaml" || output === "json") return output;
  throw new Unusable("--output: must be yaml or json");
}

export function printed(document: unknown, form: OutputForm): string {
  return form === "yaml" ? printYaml(document) : `${JSON.stringify(document, undefined, 2)}\n`;
}

/** @throws Unusable */
export function isColoured({ values, world }: Pick<Run, "values" | "world">): boolean {
  const { color = "auto" } = values;
  if (color !== "auto" && color !== "always" && color !== "never")
    throw new Unusable("--color: must be auto, always or never");
  return color === "always" || (color === "auto" && world.isTerminal.output && !world.environment["NO_COLOR"]);
}
