import { readMoment } from "./moment.js";
import type { Revision } from "./past.js";
import type { Run } from "./run.js";
import { Unusable } from "./world.js";

/** The state in force at the moment of a flag. @throws Unusable */
export function revisionAt({ values, world }: Run, flag: "from" | "to", revisions: readonly Revision[]): Revision {
  const moment = readMoment(flag, values[flag] ?? "", world.now());
  const found = revisions.find(({ revision, time }) =>
    moment.type === "revision" ? revision === moment.revision : time !== "" && Date.parse(time) <= moment.time,
  );
  if (found !== undefined) return found;
  throw new Unusable(
    moment.type === "revision"
      ? `--${flag}: it has no revision ${moment.revision}: see its history`
      : `--${flag}: nothing is known of it from ${new Date(moment.time).toISOString()} or before`,
  );
}
