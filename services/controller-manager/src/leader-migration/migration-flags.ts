import { boolFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";

const group = "Leader election";

/** Flags of programs whose controllers may move from one to another; the reference's names. */
export const migrationFlags = {
  "enable-leader-migration": boolFlag(false, {
    group,
    help: "whether controllers that move from one program to another run under a lease of their own",
  }),
  "leader-migration-config": stringFlag("", {
    ...{ group, word: "file" },
    help: "LeaderMigrationConfiguration: which controllers those are, and where they run; the usual ones of clouds when empty",
  }),
} as const;

export type MigrationValues = FlagValues<typeof migrationFlags>;

/** What of a manager's configuration says how controllers move, and is no flag. */
export const migrationBlock = "Generic.LeaderMigration";
