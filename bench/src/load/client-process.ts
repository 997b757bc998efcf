import { spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

/** A client in a process of its own, which runs until it is ended. */
export interface ClientProcess {
  readonly stdout: Readable;
  /** @throws Error where it has ended by itself */
  end(): Promise<void>;
}

/** `niceness`: above 0 it is less urgent than who started it. */
export function startClient(script: URL, args: readonly string[], niceness = 0): ClientProcess {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  if (child.pid !== undefined) setPriority(child.pid, niceness);
  return {
    stdout: child.stdout.setEncoding("utf8"),
    async end() {
      child.kill("SIGKILL");
      const [, signal] = await exited;
      if (signal !== "SIGKILL") throw new Error(`${script.pathname} ended by itself`);
    },
  };
}
