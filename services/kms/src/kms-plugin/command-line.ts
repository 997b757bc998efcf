import { commonFlags } from "@orch/runtime/flags/common-flags.js";
import { stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { StartedProgram } from "@orch/runtime/start-program.js";

/** What the program is called and takes: all that a help text needs. */
export const commandLine = {
  name: "orch-kms-plugin",
  description:
    "A KMS plugin (v2 and v1beta1) whose keys stand in a file: the first wraps, all unwrap. For tests and small set-ups: whoever has the file has the keys.",
  flags: {
    "key-file": stringFlag("", {
      group: "Keys",
      word: "file",
      help: "keys: [{id, secret}], secret 32 bytes in base64; it is read again when it changes",
    }),
    "add-key": stringFlag("", {
      group: "Keys",
      word: "id",
      help: "puts a new key before those of the file, which is made where there is none, and ends",
    }),
    listen: stringFlag("/run/orch-kms-plugin.sock", {
      group: "Serving",
      word: "path",
      help: "Unix domain socket; only the plugin's user may open it",
    }),
    ...commonFlags,
  },
} as const;

export type Started = StartedProgram<typeof commandLine.flags>;
