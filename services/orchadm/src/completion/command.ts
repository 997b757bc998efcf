import { type CommandNode, command } from "../command-line.js";
import { candidates } from "./candidates.js";

/** The word by which a shell asks what may be typed; the words so far follow it. */
const askWord = "candidates";
const ask = `orchadm completion ${askWord} --`;

/** What each shell runs at its start; file names are offered where there is nothing of ours. */
const scripts: ReadonlyMap<string, string> = new Map([
  [
    "bash",
    `_orchadm() {
  local IFS=$'\\n' words word
  COMPREPLY=()
  # Bash takes words apart at "=".
  words="\${COMP_LINE:0:COMP_POINT}"
  word="\${words##* }"
  IFS=' ' read -ra words <<< "\${words% *}"
  COMPREPLY=($(${ask} "\${words[@]:1}" "$word" 2>/dev/null))
  if [[ "$word" == *=* ]]; then COMPREPLY=("\${COMPREPLY[@]#*=}"); fi
}
complete -o default -F _orchadm orchadm
`,
  ],
  [
    "zsh",
    `#compdef orchadm
_orchadm() {
  local -a found
  found=("\${(@f)$(${ask} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
compdef _orchadm orchadm
`,
  ],
]);
const shells = [...scripts.keys()];

/** `source <(orchadm completion bash)` completes commands, flags and what flags take. */
export const completionCommand = (root: () => CommandNode): CommandNode =>
  command({
    word: "completion",
    description: `Prints the script by which a shell completes commands and flags: ${shells.join(", ")}`,
    flags: {},
    takes: shells.join("|"),
    async run({ words }, { print }) {
      const [shell = "", ...rest] = words;
      if (shell === askWord) {
        for (const word of candidates(root(), rest)) print(`${word}\n`);
        return 0;
      }
      const script = rest.length === 0 ? scripts.get(shell) : undefined;
      if (script === undefined) throw new Error(`usage: orchadm completion ${shells.join("|")}`);
      print(script);
      return 0;
    },
  });
