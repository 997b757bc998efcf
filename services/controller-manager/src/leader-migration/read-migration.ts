import type { Parsed } from "@orch/auth/parsed.js";
import {
  defaultLeaderMigration,
  type LeaderMigration,
  leaderMigrationConfiguration,
} from "@orch/component-config/managers/leader-migration.js";
import { readConfigurations } from "@orch/component-config/read-configurations.js";
import type { Naming } from "@orch/naming/naming.js";

/** Of a file's text; without one the controllers of clouds move. */
export function readMigration(text: string | undefined, naming: Naming): Parsed<LeaderMigration> {
  if (text === undefined) return { ok: true, value: defaultLeaderMigration };
  const kind = leaderMigrationConfiguration(naming);
  const file = readConfigurations(text, [kind]);
  if (!file.ok) return file;
  return { ok: true, value: file.documents.map(kind.from)[0] ?? defaultLeaderMigration };
}
