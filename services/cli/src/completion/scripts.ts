/** The word by which a shell asks what may be typed; the words so far follow it. */
export const askWord = "candidates";

const ask = `orch completion ${askWord} --`;

/** What each shell runs at its start; file names are offered where there is nothing of ours. */
export const scripts: Readonly<Record<string, string>> = {
  bash: `_orch() {
  local IFS=$'\\n'
  COMPREPLY=($(${ask} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _orch orch
`,
  zsh: `#compdef orch
_orch() {
  local -a found
  found=("\${(@f)$(${ask} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
compdef _orch orch
`,
  fish: `complete -c orch -a '(${ask} (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};
