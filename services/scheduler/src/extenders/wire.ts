import { isRecord } from "@orch/client/objects.js";

/** What an extender answered, whose keys may be written in any case. */
export type Answer = Readonly<Record<string, unknown>>;

/** The field of a name, whatever the case of its letters. */
export function fieldOf(answer: Answer, name: string): unknown {
  const wanted = name.toLowerCase();
  const key = Object.keys(answer).find((each) => each.toLowerCase() === wanted);
  return key === undefined ? undefined : answer[key];
}

export function textOf(answer: Answer, name: string): string {
  const value = fieldOf(answer, name);
  return typeof value === "string" ? value : "";
}

export function recordOf(value: unknown): Answer {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Names of nodes: a list of them, or of whole nodes; undefined where neither is there. */
export function nodeNamesOf(answer: Answer): readonly string[] | undefined {
  const names = fieldOf(answer, "NodeNames");
  if (Array.isArray(names)) return names.filter((name) => typeof name === "string");
  const nodes = fieldOf(answer, "Nodes");
  if (!isRecord(nodes)) return undefined;
  const items = listOf(fieldOf(nodes, "items"));
  return items.map((item) => textOf(recordOf(fieldOf(recordOf(item), "metadata")), "name"));
}

/** They stand in the status of the pod: so many characters are enough. */
const longestReason = 1024;

/** Reasons by node. */
export function reasonsOf(answer: Answer, name: string): ReadonlyMap<string, string> {
  const entries = Object.entries(recordOf(fieldOf(answer, name)));
  return new Map(entries.map(([node, reason]) => [node, String(reason).slice(0, longestReason)]));
}
