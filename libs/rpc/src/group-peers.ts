import { unavailable } from "@orch/status/api-error.js";
import type { Caller } from "./rpc.js";

/** The peers that answer for API groups; the peer `*` answers for every group that has none of its own. */
export interface Peers {
  of(group: string): Caller;
  readonly all: readonly Caller[];
}

export const anyGroup = "*";

export function createPeers(byGroup: ReadonlyMap<string, Caller>): Peers {
  const fallback = byGroup.get(anyGroup);
  return {
    of(group) {
      const caller = byGroup.get(group) ?? fallback;
      if (caller === undefined) throw unavailable(`no service is configured for the API group "${group}"`);
      return caller;
    },
    all: [...new Set(byGroup.values())],
  };
}

/**
 * Targets by group from a flag's list: `core=a:1,core=b:1,apps=c:1,d:1` → `{"": "a:1,b:1", apps: "c:1", "*": "d:1"}`.
 */
export function parsePeers(entries: readonly string[]): ReadonlyMap<string, string> {
  const targets = new Map<string, string>();
  for (const entry of entries) {
    const at = entry.indexOf("=");
    const name = at < 0 ? anyGroup : entry.slice(0, at);
    const group = name === "core" ? "" : name;
    const before = targets.get(group);
    const target = entry.slice(at + 1);
    targets.set(group, before === undefined ? target : `${before},${target}`);
  }
  return targets;
}
