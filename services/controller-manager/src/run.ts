import { readFileSync } from "node:fs";
import { parseNetwork } from "@orch/schema/formats/ip.js";
import { commandLine, type Started } from "./command-line.js";
import { configuredMigration } from "./configuration-file.js";
import { fileReaders } from "./file-readers.js";
import { runManager } from "./program/run.js";
import { managed } from "./service.js";
import { controllerManagerSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run(started: Started, environment: NodeJS.ProcessEnv): Promise<void> {
  const { values, documents } = started;
  const read = (path: string): string => readFileSync(path, "utf8");
  const program = { ...started, environment, name: commandLine.name, part: "controller-manager" };
  const readers = await fileReaders(values);
  await runManager(program, ({ naming, identity, gates }) => {
    const settings = controllerManagerSettings(values, {
      ...{ naming, identity, read, readers, configured: configuredMigration(documents, naming) },
      migratesStorage: gates.enabled("StorageVersionMigrator"),
      claimsDevices: gates.enabled("DynamicResourceAllocation"),
      hasVolumeAttributes: gates.enabled("VolumeAttributesClass"),
      tracksVersions: gates.enabled("StorageVersionAPI") && gates.enabled("APIServerIdentity"),
      rangesAreObjects: gates.enabled("MultiCIDRServiceAllocator"),
      serviceRanges: values["service-cluster-ip-range"].split(",").flatMap((text) => parseNetwork(text.trim()) ?? []),
    });
    return settings.ok ? { ok: true, value: managed(settings.value) } : settings;
  });
}
