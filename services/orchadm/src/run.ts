import { messageOf } from "@orch/status/message-of.js";
import { type CommandNode, group, runCommand } from "./command-line.js";
import { runCommand as supervisor } from "./runner/command.js";
import type { World } from "./world.js";

/** Exit code of a command that could not do its work. */
const failed = 1;

/** `init` waits for the supervisor that it starts, which therefore loads nothing of the other commands. */
async function treeFor(word: string | undefined): Promise<CommandNode> {
  if (word !== supervisor.word) return (await import("./commands.js")).root;
  return group({ word: "orchadm", description: "", commands: [supervisor] });
}

/** Runs a command line, without interpreter and script; gives the exit code. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  // What a command waits for may be nothing but timers, which let a process end.
  const hold = setInterval(() => {}, 60_000);
  try {
    return await runCommand(await treeFor(argv[0]), argv, world);
  } catch (error) {
    world.printError(`${messageOf(error)}\n`);
    return failed;
  } finally {
    clearInterval(hold);
  }
}
