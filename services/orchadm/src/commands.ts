import { certificateCommands } from "./certificates/commands.js";
import { clientConfigCommands } from "./client-configs/commands.js";
import { type CommandNode, group } from "./command-line.js";
import { completionCommand } from "./completion/command.js";
import { configCommand } from "./config/commands.js";
import { initCommand } from "./init/command.js";
import { joinCommand } from "./join/command.js";
import { resetCommand } from "./reset/command.js";
import { runCommand } from "./runner/command.js";
import { tokenCommand } from "./token/commands.js";
import { upgradeCommand } from "./upgrade/commands.js";
import { versionCommand } from "./version/command.js";

/** Everything that `orchadm` can do. */
export const root: CommandNode = group({
  word: "orchadm",
  description: "Sets up machines of a cluster: init makes the first, join adds others, reset takes one out.",
  commands: [
    ...[
      initCommand,
      joinCommand,
      resetCommand,
      certificateCommands,
      ...clientConfigCommands,
      tokenCommand,
      configCommand,
      upgradeCommand,
    ],
    ...[runCommand, completionCommand(() => root), versionCommand],
  ],
});
