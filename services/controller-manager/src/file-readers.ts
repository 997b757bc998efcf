import type { Parsed } from "@orch/auth/parsed.js";
import type { LeaderMigration } from "@orch/component-config/managers/leader-migration.js";
import type { Naming } from "@orch/naming/naming.js";
import type { CloudValues } from "./clouds/cloud-flags.js";
import type { ReadMachines } from "./clouds/simulated-file.js";
import type { MigrationValues } from "./leader-migration/migration-flags.js";

/** Readers of files that flags name. */
export interface FileReaders {
  readonly machines: (text: string, naming: Naming) => ReadMachines;
  /** Undefined: no file, which is the usual migration. */
  readonly migration: (text: string | undefined, naming: Naming) => Parsed<LeaderMigration>;
}

/** Those that these flags need: most starts name no such file, and do not load what reads one. */
export async function fileReaders(
  values: Pick<CloudValues & MigrationValues, "cloud-config" | "enable-leader-migration">,
): Promise<FileReaders | undefined> {
  if (values["cloud-config"] === "" && !values["enable-leader-migration"]) return undefined;
  const { readMachines } = await import("./clouds/simulated-file.js");
  const { readMigration } = await import("./leader-migration/read-migration.js");
  return { machines: readMachines, migration: readMigration };
}
