import type { Election } from "@orch/client/leader-election.js";
import type { LeaderMigration } from "@orch/component-config/managers/leader-migration.js";
import { type ControllerName, isCalled } from "../controller.js";
import type { Term } from "../manager.js";

export interface Migrating {
  readonly election: Election;
  readonly migration: LeaderMigration;
  /** The program, as the configuration names it. */
  readonly component: string;
}

/**
 * A program's controllers by the lease under which they run: those that move under the one that both programs stand for, as
 * far as it is this program's turn (`*`: whoever has the lease), all others under its own.
 *
 * `a b`, b moves and is this program's → `own: a`, `moving: b`; b is another's → `own: a`.
 */
export function migratingTerms<N extends ControllerName>(
  controllers: ReadonlySet<N>,
  { election, migration, component }: Migrating,
): readonly Term<N>[] {
  const leaderOf = (name: N): string | undefined =>
    migration.controllerLeaders.find((each) => isCalled(name, each.name))?.component;
  const all = [...controllers];
  const moving = all.filter((name) => [component, "*"].includes(leaderOf(name) ?? ""));
  const own = all.filter((name) => leaderOf(name) === undefined);
  return [
    { controllers: new Set(own), election },
    { controllers: new Set(moving), election: { ...election, name: migration.leaderName } },
  ];
}
