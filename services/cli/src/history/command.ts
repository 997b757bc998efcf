import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { showDeleted } from "./deleted.js";
import { showDiff } from "./diff.js";
import { rollBackNamespace } from "./namespace/roll-back.js";
import { historyDocument, readHistory } from "./past.js";
import { rollBack, undelete } from "./restore.js";
import { formOf, named, parse, printed, type Run, type Values } from "./run.js";
import { reach } from "./server.js";
import { historyText } from "./text.js";
import { helpOf, type Word } from "./usage.js";
import { type HistoryWorld, Unusable } from "./world.js";

/** Exit codes: what the server refused, and what could not be run at all. */
const [failed, unusable] = [1, 2];

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
