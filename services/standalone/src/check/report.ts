import { objectOf } from "@orch/history/note-keys.js";
import type { StoreReport } from "@orch/store/check-store.js";

type Found = StoreReport["damaged"][number];

/** Nothing is damaged, or not any more. */
export function isWell({ damaged }: StoreReport): boolean {
  return damaged.every(({ mended }) => mended !== undefined && mended.how !== "left");
}

/** The report for a person. */
export function reportText(report: StoreReport): string {
  const { path, identity, format, revision, compacted, entries, changes, notes, damaged } = report;
  const lines = [
    path,
    `  dialect ${identity?.dialect ?? "unknown"}, cluster ${identity?.cluster ?? "unknown"}, format ${format ?? "unknown"}`,
    `  revision ${revision}, history from ${compacted + 1} on`,
    `  ${entries} entries, ${changes} changes and ${notes} records of objects' past read, ${damaged.length === 0 ? "all whole" : `${damaged.length} damaged`}`,
  ];
  if (format === 1) lines.push("  data of format 1 has no checksums: the next start of the server adds them");
  lines.push(...damaged.map(damageLine));
  if (damaged.some(({ present, mended }) => present && (mended === undefined || mended.how === "left")))
    lines.push(advice);
  return `${lines.join("\n")}\n`;
}

const advice =
  "\n  Restore them with --repair --backup=<data directory of a backup>, or delete them: with --repair --remove, or through the server\n" +
  "  by a DELETE with ignoreStoreReadErrorWithClusterBreakingPotential=true.";

function damageLine(damage: Found): string {
  const { revision, why } = damage;
  const what = damage.present ? damage.key : `history of ${pastOf(damage)}`;
  return `  ${what} at revision ${revision}: ${why}${outcome(damage)}`;
}

function pastOf({ key, note }: Found): string {
  if (note !== undefined) return `${objectOf(key)}, a record`;
  return key === "" ? "a key that cannot be read" : key;
}

function outcome({ mended }: Found): string {
  switch (mended?.how) {
    case undefined:
      return "";
    case "restored":
      return "; restored from the backup";
    case "set back":
      return `; set back to the backup's state of revision ${mended.from}`;
    case "removed":
      return "; deleted";
    case "forgotten":
      return "; forgotten";
    case "left":
      return "; left as it is";
  }
}
