import { createInterface } from "node:readline/promises";
import type { World } from "@orch/service-orchadm/world.js";
import { systemClock } from "@orch/status/clock.js";
import { print, printError } from "../print.js";

/** What the bootstrapper is given; `script` starts the one program. */
export function orchadmWorld(environment: NodeJS.ProcessEnv, script: string): World {
  // Who reads no further (`| head`) does not leave a machine half made.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return { ...world, environment, program: { command: process.execPath, args: [script] } };
}

const world: Omit<World, "environment" | "program"> = {
  clock: systemClock,
  print,
  printError,
  async ask(question) {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await Promise.race([
        lines.question(question),
        new Promise<string>((resolve) => lines.once("close", () => resolve(""))),
      ]);
    } finally {
      lines.close();
    }
  },
  pid: process.pid,
  untilStopped() {
    const stop = new AbortController();
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());
    return stop.signal;
  },
};
