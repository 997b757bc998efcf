import { messageOf } from "@orch/status/message-of.js";
import { runCommand } from "./command-line.js";
import { root } from "./commands.js";
import type { World } from "./world.js";

/** Exit code of a command that could not do its work. */
const failed = 1;

/** Runs a command line, without interpreter and script; gives the exit code. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  // What a command waits for may be nothing but timers, which let a process end.
  const hold = setInterval(() => {}, 60_000);
  try {
    return await runCommand(root, argv, world);
  } catch (error) {
    world.printError(`${messageOf(error)}\n`);
    return failed;
  } finally {
    clearInterval(hold);
  }
}
