import type { Deletion, Revision } from "./past.js";

const mostFields = 3;
const ageSteps: readonly (readonly [unit: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3600_000],
  ["m", 60_000],
  ["s", 1000],
];

/** The states of an object, the newest first. */
export function historyText(revisions: readonly Revision[], now: number): string {
  return table([
    ["REVISION", "AGE", "CHANGE", "BY", "MANAGER", "FIELDS"],
    ...revisions.map(({ revision, time, change, user, manager, subresource, restorable, ...rest }) => [
      String(revision),
      ageOf(time, now),
      `${change || "unknown"}${subresource === "" ? "" : ` (${subresource})`}${restorable || change === "deleted" ? "" : ", not kept"}`,
      user || "unknown",
      manager || "-",
      fieldsText(rest),
    ]),
  ]);
}

function fieldsText({ fields, moreFields }: Pick<Revision, "fields" | "moreFields">): string {
  const left = fields.length - mostFields;
  const more = left > 0 || moreFields ? ` and ${Math.max(left, 1)}${moreFields ? " or more" : ""} more` : "";
  return fields.slice(0, mostFields).join(" ") + more;
}

/** What was deleted, of several kinds. */
export function deletedText(deletions: readonly (Deletion & { readonly kind: string })[], now: number): string {
  return table([
    ["NAMESPACE", "OBJECT", "DELETED", "BY", "REVISION", "UID"],
    ...deletions.map(({ kind, namespace, name, time, user, revision, uid, restorable }) => [
      namespace || "-",
      `${kind}/${name}`,
      ageOf(time, now),
      user || "unknown",
      `${revision}${restorable ? "" : " (not kept)"}`,
      uid,
    ]),
  ]);
}

function ageOf(time: string, now: number): string {
  const ms = now - Date.parse(time);
  if (Number.isNaN(ms)) return "unknown";
  const [unit, size] = ageSteps.find(([, least]) => ms >= least) ?? ["s", 1000];
  return `${Math.max(0, Math.floor(ms / size))}${unit}`;
}

/** Columns as wide as what is in them; what would move a terminal's cursor is shown as a question mark. */
export function table(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, "?")));
  const widths = (clean[0] ?? []).map((_, i) => Math.max(...clean.map((row) => (row[i] ?? "").length)));
  return clean
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("   ")
        .trimEnd(),
    )
    .join("\n");
}
