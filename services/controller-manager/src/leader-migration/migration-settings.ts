import type { Parsed } from "@orch/auth/parsed.js";
import type { Election } from "@orch/client/leader-election.js";
import type { LeaderMigration } from "@orch/component-config/managers/leader-migration.js";
import type { Naming } from "@orch/naming/naming.js";
import { messageOf } from "@orch/status/message-of.js";
import type { ControllerName } from "../controller.js";
import type { FileReaders } from "../file-readers.js";
import type { Term } from "../manager.js";
import type { MigrationValues } from "./migration-flags.js";
import { migratingTerms } from "./terms.js";

export interface MigrationParts {
  readonly naming: Naming;
  /** A file's text; its error says why there is none. */
  readonly read: (path: string) => string;
  /** Of files that these values need. */
  readonly readers?: FileReaders | undefined;
  /** The program, as the configuration names it. */
  readonly component: string;
  /** What the component's own configuration says, where it says something. */
  readonly configured?: LeaderMigration | undefined;
}

/** Under which leases a program's controllers run. `election`: the program's own; undefined where it is the only one. */
export function termSettings<N extends ControllerName>(
  values: MigrationValues,
  { controllers, election }: { readonly controllers: ReadonlySet<N>; readonly election: Election | undefined },
  parts: MigrationParts,
): Parsed<readonly Term<N>[]> {
  if (!values["enable-leader-migration"]) return { ok: true, value: [{ controllers, election }] };
  if (election === undefined) return refused("--enable-leader-migration needs --leader-elect");
  const migration = migrationOf(values["leader-migration-config"], parts);
  if (!migration.ok) return migration;
  if (migration.value.resourceLock !== "leases") {
    return refused(
      `--leader-migration-config: resourceLock: ${migration.value.resourceLock} are not taken, only leases`,
    );
  }
  const moving = { election, migration: migration.value, component: parts.component };
  return { ok: true, value: migratingTerms(controllers, moving) };
}

function migrationOf(path: string, { naming, read, readers, configured }: MigrationParts): Parsed<LeaderMigration> {
  if (readers === undefined) throw new TypeError("nobody reads how controllers move");
  if (path === "") {
    const says = configured !== undefined && configured.leaderName !== "";
    return says ? { ok: true, value: configured } : readers.migration(undefined, naming);
  }
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    return refused(`--leader-migration-config ${path}: ${messageOf(error)}`);
  }
  const file = readers.migration(text, naming);
  if (file.ok) return file;
  return { ok: false, problems: file.problems.map((each) => `--leader-migration-config ${path}: ${each}`) };
}

const refused = (problem: string): { readonly ok: false; readonly problems: readonly string[] } => ({
  ok: false,
  problems: [problem],
});
