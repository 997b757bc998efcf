import type { CommandNode } from "../command-line.js";

/** What may stand where the last word of `words` is being typed; `words` are those after the program's name. */
export function candidates(root: CommandNode, words: readonly string[]): readonly string[] {
  const typed = words.at(-1) ?? "";
  const node = nodeAt(root, words.slice(0, -1));
  const [flag = "", value] = typed.split("=", 2);
  if (value !== undefined) {
    const choices = choicesOf(node, flag).filter((choice) => choice.startsWith(value));
    return choices.map((choice) => `${flag}=${choice}`).sort();
  }
  const all = typed.startsWith("-")
    ? [...Object.keys(node.flags), "help"].map((name) => (name.length === 1 ? `-${name}` : `--${name}`))
    : node.commands.map(({ word }) => word);
  return all.filter((word) => word.startsWith(typed)).sort();
}

/** The command that words name; what is no command's name among them is a flag or an argument. */
function nodeAt(root: CommandNode, words: readonly string[]): CommandNode {
  let node = root;
  for (const word of words) node = node.commands.find((each) => each.word === word) ?? node;
  return node;
}

/** The values of a flag that takes one of a few, or is on or off. */
function choicesOf({ flags }: CommandNode, dashed: string): readonly string[] {
  const name = dashed.slice(dashed.startsWith("--") ? 2 : 1);
  const type = Object.hasOwn(flags, name) ? flags[name]?.type : undefined;
  if (type === "bool") return ["true", "false"];
  return type?.includes("|") === true ? type.split("|") : [];
}
