import { certificateCommands } from "./certificates/commands.js";
import { clientConfigCommands } from "./client-configs/commands.js";
import { type CommandNode, group } from "./command-line.js";
import { initCommand } from "./init/command.js";
import { joinCommand } from "./join/command.js";
import { resetCommand } from "./reset/command.js";
import { runCommand } from "./runner/command.js";

/** Everything that `orchadm` can do. */
export const root: CommandNode = group({
  word: "orchadm",
  description: "Sets up machines of a cluster: init makes the first, join adds others, reset takes one out.",
  commands: [initCommand, joinCommand, resetCommand, certificateCommands, ...clientConfigCommands, runCommand],
});
