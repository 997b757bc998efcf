import { spawn } from "node:child_process";

/** Says that the check is to be done by the process itself. */
export const hereWord = "check-here";

/**
 * Runs the check in a process of its own: a database file whose pages lead astray can end the process that reads it, and that
 * is a finding too. The exit code.
 */
export function checkGuarded(script: string, argv: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [script, hereWord, ...argv], { stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (code !== null) return resolve(code);
      process.stderr.write(
        `orch check: the structure of the database is damaged, reading it ended with ${signal}: restore its data.mdb from a backup\n`,
      );
      resolve(1);
    });
  });
}
