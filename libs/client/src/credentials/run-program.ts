import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";

export interface ProgramRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether it reads this process's standard input. */
  readonly input: boolean;
  readonly clock: { after(ms: number, run: () => void): () => void };
  /** After which it is killed. */
  readonly timeoutMs: number;
  /** That it may write at most. */
  readonly outputBytes: number;
}

export type ProgramEnd =
  | { readonly how: "done"; readonly output: Buffer }
  | { readonly how: "missing" }
  /** `why` goes on after the program's name and quotes nothing that it wrote. */
  | { readonly how: "failed"; readonly why: string };

/** Runs a program to its end and gives what it wrote; its standard error goes where ours goes. Never rejects. */
export function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const child = started(run);
  if ("failed" in child) return Promise.resolve({ how: "failed", why: `can not be run: ${child.failed}` });
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const finish = (end: ProgramEnd): void => {
      cancel();
      resolve(end);
    };
    const giveUp = (why: string): void => {
      child.kill("SIGKILL");
      // Whatever it started may hold the other end for ever.
      child.stdout.destroy();
      finish({ how: "failed", why });
    };
    const cancel = run.clock.after(run.timeoutMs, () => giveUp(`was not done within ${run.timeoutMs / 1000} s`));
    child.stdout.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > run.outputBytes) giveUp(`wrote more than ${run.outputBytes} bytes`);
      else parts.push(part);
    });
    child.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") finish({ how: "missing" });
      else finish({ how: "failed", why: `can not be run: ${error.code}` });
    });
    child.once("close", (code, signal) => {
      if (code === 0) finish({ how: "done", output: Buffer.concat(parts) });
      else finish({ how: "failed", why: code === null ? `was ended by ${signal}` : `ended with exit code ${code}` });
    });
  });
}

/** Some failures are thrown and others told by the child: arguments too long, or with bytes that none may hold. */
function started(run: ProgramRun): ChildProcessByStdio<null, Readable, null> | { readonly failed: string } {
  const env = { ...run.environment };
  try {
    // Two calls, for the types of the streams.
    return run.input
      ? spawn(run.command, run.args, { env, stdio: ["inherit", "pipe", "inherit"] })
      : spawn(run.command, run.args, { env, stdio: ["ignore", "pipe", "inherit"] });
  } catch (error) {
    return { failed: error instanceof Error && "code" in error ? String(error.code) : "unknown" };
  }
}
