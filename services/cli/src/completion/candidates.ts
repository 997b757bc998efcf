import { areNames, type Command, type World } from "../command.js";

/** What may stand where the last word of `words` is being typed; `words` are those after `orch`. */
export async function candidates(
  commands: readonly Command[],
  words: readonly string[],
  world: World,
): Promise<readonly string[]> {
  const typed = words.at(-1) ?? "";
  const [first] = words;
  if (words.length <= 1) return startingWith(typed, [...commands.map(({ word }) => word), "help"]);
  const command = commands.find(({ word }) => word === first);
  if (command === undefined) return [];
  if (!typed.startsWith("-")) return startingWith(typed, words.length === 2 ? (command.words ?? []) : []);
  const declared = await command.flags(world);
  const flags = [...(areNames(declared) ? declared : Object.keys(declared)), "help"];
  return startingWith(
    typed,
    flags.map((name) => (name.length === 1 ? `-${name}` : `--${name}`)),
  );
}

const startingWith = (typed: string, words: readonly string[]): readonly string[] =>
  words.filter((word) => word.startsWith(typed)).sort();
