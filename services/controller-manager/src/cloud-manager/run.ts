import { readFileSync } from "node:fs";
import { runManager } from "../program/run.js";
import { commandLine, type Started } from "./command-line.js";
import { cloudManagerSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export function run(started: Started, environment: NodeJS.ProcessEnv): Promise<void> {
  const read = (path: string): string => readFileSync(path, "utf8");
  const program = { ...started, environment, name: commandLine.name, part: "cloud-controller-manager" };
  return runManager(program, ({ naming, identity }) =>
    cloudManagerSettings(started.values, { naming, identity, read }),
  );
}
