import { spawn } from "node:child_process";
import { cut } from "@orch/status/cut.js";

export interface ProgramResult {
  /** -1: it could not be run. */
  readonly code: number;
  readonly output: string;
  /** What it said on standard error, cut. */
  readonly problem: string;
}

/** Runs a program of the machine to its end, which comes within `longestMs`. Never rejects. */
export type RunProgram = (
  command: string,
  args: readonly string[],
  input?: string,
  longestMs?: number,
) => Promise<ProgramResult>;

export interface ProgramsOptions {
  readonly clock: { after(ms: number, run: () => void): () => void };
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Rules of a large cluster take a while. */
const usualLongestMs = 120_000;
const longestOutput = 256 * 1024 * 1024;
const longestProblem = 2_000;

export function createPrograms({ clock, environment }: ProgramsOptions): RunProgram {
  // Where an ordinary user's path leaves them out.
  const env = { ...environment, PATH: `${environment["PATH"] ?? ""}:/usr/sbin:/sbin`, LC_ALL: "C" };
  return (command, args, input = "", longestMs = usualLongestMs) =>
    new Promise((resolve) => {
      const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"] });
      const parts: Buffer[] = [];
      let bytes = 0;
      let problem = "";
      const cancel = clock.after(longestMs, () => {
        problem = `was not done within ${longestMs / 1000} s`;
        child.kill("SIGKILL");
      });
      const end = (code: number, why: string): void => {
        cancel();
        resolve({ code, output: Buffer.concat(parts).toString(), problem: cut(why, longestProblem).trim() });
      };
      child.stdout.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > longestOutput) child.kill("SIGKILL");
        else parts.push(part);
      });
      child.stderr.on("data", (part: Buffer) => {
        if (problem.length < longestProblem) problem += part.toString();
      });
      // One that ends before it has read everything says so by its code.
      child.stdin.on("error", () => {});
      child.once("error", (error) => end(-1, error.message));
      child.once("close", (code) => end(code ?? -1, problem));
      child.stdin.end(input);
    });
}
