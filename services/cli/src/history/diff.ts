import { type Named, type Revision, readDifference, readHistory, readState, titleOf } from "./past.js";
import { revisionAt } from "./revision-at.js";
import { formOf, isColoured, printed, type Run } from "./run.js";
import { type Side, unified } from "./unified.js";
import { Unusable } from "./world.js";

/** `orch diff`; gives the exit code. */
export async function showDiff(run: Run, of: Named): Promise<number> {
  const { values, server, world } = run;
  const form = formOf(values);
  const colour = isColoured(run);
  const revisions = await readHistory(server.client, of);
  const to = values.to === undefined || values.to === "live" ? newest(revisions) : revisionAt(run, "to", revisions);
  const from = values.from === undefined ? before(revisions, to) : revisionAt(run, "from", revisions);
  if (form !== undefined) {
    const difference = await readDifference(server.client, of, { from: from.revision, to: to.revision });
    world.print(printed(difference, form));
    return 0;
  }
  const sides = await Promise.all([from, to].map((revision) => sideOf(run, of, revision)));
  const [older, newer] = sides;
  const text = older === undefined || newer === undefined ? "" : unified(older, newer, { colour });
  world.print(text === "" ? `${titleOf(of)}: revisions ${from.revision} and ${to.revision} are the same\n` : text);
  return 0;
}

async function sideOf({ server }: Run, of: Named, revision: Revision): Promise<Side> {
  const by = revision.user === "" ? "" : `, ${revision.time} by ${revision.user}`;
  const title = `${titleOf(of)} at revision ${revision.revision}${by}`.replace(/\p{Cc}/gu, "?");
  const object = revision.change === "deleted" ? undefined : await readState(server.client, of, revision.revision);
  return { title, object };
}

/** @throws Unusable */
function newest([first]: readonly Revision[]): Revision {
  if (first === undefined) throw new Unusable("nothing is kept of it");
  return first;
}

/** @throws Unusable */
function before(revisions: readonly Revision[], { revision }: Revision): Revision {
  const found = revisions.find((one) => one.revision < revision);
  if (found === undefined) throw new Unusable(`nothing is kept from before revision ${revision}`);
  return found;
}
