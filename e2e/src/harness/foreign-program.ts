import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { buildGoProgram, type GoProgram } from "../clients/go-program.js";

export interface ForeignProgram {
  /** The end of what it wrote. */
  log(): string;
  stop(): Promise<void>;
}

/** Starts a program that others wrote; it is ready when its port or what it does says so. */
export function startForeignProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ForeignProgram {
  const child: ChildProcess = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      log = `${log}${text}`.slice(-100_000);
    });
  }
  const exit = once(child, "exit");
  return {
    log: () => log,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await exit;
    },
  };
}

/** As `buildGoProgram`, and says what it cost: seconds of CI, where the cache of Go does not have it yet. */
export async function buildSaying(name: string, program: GoProgram): Promise<string | undefined> {
  const began = performance.now();
  const missing = await buildGoProgram(program);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  if (missing === undefined) process.stderr.write(`${name}: built in ${seconds} s\n`);
  return missing;
}
