import { type Named, readHistory, restore, titleOf } from "./past.js";
import { revisionAt } from "./revision-at.js";
import type { Run } from "./run.js";
import { Unusable } from "./world.js";

const digits = /^\d{1,15}$/;

/** `orch rollback` of one object; gives the exit code. */
export async function rollBack(run: Run, of: Named): Promise<number> {
  const { values, server, world } = run;
  const { "dry-run": dryRun = false } = values;
  for (const flag of ["kinds", "yes"] as const)
    if (values[flag] !== undefined) throw new Unusable(`--${flag} goes with --to-time`);
  if (values.to === undefined) throw new Unusable("--to is needed: a revision, or a time");
  const revisions = await readHistory(server.client, of);
  const wanted = revisionAt(run, "to", revisions);
  if (wanted.change === "deleted") throw new Unusable(`--to: at revision ${wanted.revision} it was deleted`);
  const body = { revision: String(wanted.revision) };
  const { metadata } = await restore(server.client, of, { how: "rollback", body, dryRun });
  const same = !dryRun && metadata.resourceVersion === String(revisions[0]?.revision);
  world.print(
    same
      ? `${titleOf(of)} is what it was at revision ${wanted.revision}\n`
      : `${titleOf(of)} rolled back to revision ${wanted.revision}${tail(dryRun, metadata.resourceVersion)}\n`,
  );
  return 0;
}

/** `orch undelete`; gives the exit code. */
export async function undelete({ values, server, world }: Run, of: Named): Promise<number> {
  const { revision, "dry-run": dryRun = false } = values;
  if (revision !== undefined && !digits.test(revision)) throw new Unusable("--revision: must be a revision");
  const body = revision === undefined ? {} : { revision };
  const { metadata } = await restore(server.client, of, { how: "undelete", body, dryRun });
  world.print(`${titleOf(of)} is back${tail(dryRun, metadata.resourceVersion)}\n`);
  return 0;
}

function tail(dryRun: boolean, revision: string | undefined): string {
  return dryRun ? " (dry run)" : `, now at revision ${revision}`;
}
