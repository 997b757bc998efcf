import { readFileSync } from "node:fs";
import { fileReaders } from "../file-readers.js";
import { runManager } from "../program/run.js";
import { commandLine, type Started } from "./command-line.js";
import { configuredMigration } from "./configuration-file.js";
import { cloudManagerSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run(started: Started, environment: NodeJS.ProcessEnv): Promise<void> {
  const read = (path: string): string => readFileSync(path, "utf8");
  const program = { ...started, environment, name: commandLine.name, part: "cloud-controller-manager" };
  const readers = await fileReaders(started.values);
  await runManager(program, ({ naming, identity }) =>
    cloudManagerSettings(started.values, {
      ...{ naming, identity, read, readers },
      configured: configuredMigration(started.documents, naming),
    }),
  );
}
