import { readFileSync } from "node:fs";
import { parseNetwork } from "@orch/schema/formats/ip.js";
import { commandLine, type Started } from "./command-line.js";
import { runManager } from "./program/run.js";
import { managed } from "./service.js";
import { controllerManagerSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export function run(started: Started, environment: NodeJS.ProcessEnv): Promise<void> {
  const { values } = started;
  const read = (path: string): string => readFileSync(path, "utf8");
  const program = { ...started, environment, name: commandLine.name, part: "controller-manager" };
  return runManager(program, ({ naming, identity, gates }) => {
    const settings = controllerManagerSettings(values, {
      ...{ naming, identity, read },
      migratesStorage: gates.enabled("StorageVersionMigrator"),
      claimsDevices: gates.enabled("DynamicResourceAllocation"),
      serviceRanges: values["service-cluster-ip-range"].split(",").flatMap((text) => parseNetwork(text.trim()) ?? []),
    });
    return settings.ok ? { ok: true, value: managed(settings.value) } : settings;
  });
}
