import { spawn } from "node:child_process";

export interface Program {
  readonly program: string;
  readonly args: readonly string[];
  /** Said where there is no such program. */
  readonly missing: string;
}

/** Runs another's program, whose words go to standard error. @throws Error where it is missing or fails, with its command */
export async function runProgram({ program, args, missing }: Program): Promise<void> {
  const child = spawn(program, args, { stdio: ["ignore", 2, 2] });
  const command = [program, ...args].join(" ");
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once("error", (error) => {
      const isMissing = "code" in error && error.code === "ENOENT";
      reject(isMissing ? new Error(`there is no program ${program}; ${missing}; the command: ${command}`) : error);
    });
    child.once("exit", (exit, signal) => resolve(exit ?? String(signal)));
  });
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}
