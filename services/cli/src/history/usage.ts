export const words = ["history", "diff", "rollback", "undelete", "deleted"] as const;
export type Word = (typeof words)[number];

export const options = {
  orchconfig: { type: "string" },
  kubeconfig: { type: "string" },
  context: { type: "string" },
  namespace: { type: "string", short: "n" },
  "all-namespaces": { type: "boolean", short: "A" },
  output: { type: "string", short: "o" },
  color: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  "to-time": { type: "string" },
  revision: { type: "string" },
  kinds: { type: "string" },
  "dry-run": { type: "boolean" },
  yes: { type: "boolean", short: "y" },
  help: { type: "boolean", short: "h" },
} as const;

type Option = keyof typeof options;

const everywhere: readonly Option[] = ["orchconfig", "kubeconfig", "context", "namespace", "help"];

/** What each command takes beside what all of them take. */
const own: Readonly<Record<Word, readonly Option[]>> = {
  history: ["output"],
  diff: ["from", "to", "output", "color"],
  rollback: ["to", "to-time", "kinds", "dry-run", "yes", "color"],
  undelete: ["revision", "dry-run"],
  deleted: ["all-namespaces", "output"],
};

export const optionsOf = (word: Word): readonly Option[] => [...own[word], ...everywhere];

export const descriptions: Readonly<Record<Word, string>> = {
  history: "the states that an object had: when, by whom, which fields",
  diff: "what differs between two states of an object",
  rollback: "make an object, or a whole namespace, what it was",
  undelete: "bring a deleted object back",
  deleted: "what was deleted",
};

const usages: Readonly<Record<Word, string>> = {
  history: `KIND/NAME [-o yaml|json]
  The states of an object that the server keeps, the newest first. It is there after the object is gone.`,
  diff: `KIND/NAME [--from MOMENT] [--to MOMENT|live] [-o yaml|json]
  What differs between two states, by default what the newest one changed: a unified difference of their YAML, without
  managedFields and resourceVersion; with -o the server's list of changed fields.`,
  rollback: `KIND/NAME --to MOMENT [--dry-run]
                   --namespace=NS --to-time=TIME [--kinds=KIND,…] [--dry-run] [--yes]
  Makes an object what it was: an update like any other, so that what admission refuses is refused.
  With --to-time a whole namespace: it shows what would be brought back, changed and deleted, as one difference, asks, and
  does it. What a controller made for an object (pods of a deployment) is left to that controller. --dry-run asks the
  server whether each step would be taken, and changes nothing.`,
  undelete: `KIND/NAME [--revision REVISION] [--dry-run]
  Creates a deleted object anew as it was last, or as it was before the deletion with that revision.`,
  deleted: `[KIND] [-A] [-o yaml|json]
  What was deleted in a namespace, of one kind or of all that have a history.`,
};

const lines: Readonly<Record<Option, string>> = {
  orchconfig: "--orchconfig FILE        client configuration (ORCHCONFIG)",
  kubeconfig: "--kubeconfig FILE        the same (KUBECONFIG)",
  context: "--context NAME           of that file, instead of its current one",
  namespace: "-n, --namespace NS       that of the context where it is not given",
  "all-namespaces": "-A, --all-namespaces     of every namespace",
  output: "-o, --output FORM        yaml or json: the server's document",
  color: "--color WHEN             auto, always or never (auto: on a terminal, unless NO_COLOR is set)",
  from: "--from MOMENT            the older state; by default the one before --to",
  to: "--to MOMENT              the state that is wanted",
  "to-time": "--to-time TIME           when the namespace was as it is wanted",
  revision: "--revision REVISION      of the deletion, where an object of this name was deleted more than once",
  kinds: "--kinds KIND,…           only objects of these kinds",
  "dry-run": "--dry-run                change nothing",
  yes: "-y, --yes                do not ask",
  help: "-h, --help",
};

/** What `orch history --help` prints. */
export function helpOf(program: string, word: Word): string {
  const shown = optionsOf(word).map((name) => `  ${lines[name]}`);
  return [
    `usage: ${program} ${word} ${usages[word]}`,
    "",
    ...shown,
    "",
    "KIND is a plural, singular or short name, with its group behind a dot where that is needed. A MOMENT is a revision or a",
    "TIME; a TIME is 2026-11-24T15:00:00Z, or 15m, 2h, 1d ago.",
    "",
    "Exit status: 0 done, 1 the server refused or something of it failed, 2 it could not be run.",
  ].join("\n");
}
