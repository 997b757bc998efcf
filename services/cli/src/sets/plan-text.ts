import { isRecord } from "@orch/client/objects.js";

/** A plan of a set for people, and whether it changes anything. */
export interface PlanText {
  readonly lines: readonly string[];
  readonly changes: number;
}

const signs: Readonly<Record<string, string>> = { Create: "+", Adopt: "@", Change: "~", Delete: "-", Release: "^" };

/** What a dry run of a set says would become of its members: one line each, and one for each field that changes. */
export function planText(set: unknown): PlanText {
  const status = isRecord(set) ? set["status"] : undefined;
  const members = isRecord(status) && Array.isArray(status["members"]) ? status["members"].filter(isRecord) : [];
  const counts = new Map<string, number>();
  const lines = members.flatMap((member) => {
    const action = text(member, "action");
    counts.set(action, (counts.get(action) ?? 0) + 1);
    const sign = signs[action];
    return sign === undefined ? [] : [`${sign} ${nameOf(member)}`, ...changesOf(member)];
  });
  const kept = counts.get("Keep") ?? 0;
  const changes = members.length - kept;
  const summary = [...counts].map(([action, count]) => `${count} ${words[action] ?? action}`).join(", ");
  return { lines: [...lines, summary === "" ? "the set has no members" : summary], changes };
}

const words: Readonly<Record<string, string>> = {
  ...{ Create: "to create", Adopt: "to adopt", Change: "to change", Keep: "unchanged", Delete: "to delete" },
  Release: "to let go of",
};

function nameOf(member: Readonly<Record<string, unknown>>): string {
  const [group, namespace] = [text(member, "group"), text(member, "namespace")];
  const resource = text(member, "resource") + (group === "" ? "" : `.${group}`);
  return `${resource} ${namespace === "" ? "" : `${namespace}/`}${text(member, "name")}`;
}

function changesOf(member: Readonly<Record<string, unknown>>): readonly string[] {
  const { changes } = member;
  return (Array.isArray(changes) ? changes.filter(isRecord) : []).map((change) => {
    const { before, after } = change;
    const path = text(change, "path");
    if (before === undefined && after === undefined) return `    ${path} ${text(change, "operation")}`;
    if (before === undefined) return `    ${path}: ${after}`;
    return after === undefined ? `    ${path}: ${before} goes` : `    ${path}: ${before} → ${after}`;
  });
}

function text(of: Readonly<Record<string, unknown>>, field: string): string {
  const value = of[field];
  return typeof value === "string" ? value : "";
}
