import type { MessageType } from "@orch/schema/descriptor.js";
import type { Kind } from "./catalog.js";

/**
 * Dotted paths of what writers through an endpoint never own, since it never changes it (rules: Server-side apply):
 * the status for the object itself, all else for its subresources. `subresource` is empty for the object itself.
 */
export function resetFields(kind: Kind, subresource: string): readonly string[] {
  const { strategy, behavior } = kind.hub;
  if (subresource === "") return strategy.statusReset === "never" ? [] : ["status"];
  const part = behavior.parts?.[subresource];
  if (part?.changes !== undefined) return allBut(kind.type, part.changes);
  return part?.resets ?? (subresource === "status" ? ["spec"] : []);
}

/** The fields beside each path and beside each of its parents. */
function allBut(type: MessageType, paths: readonly string[]): readonly string[] {
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const [name = "", ...rest] = path.split(".");
    byName.set(name, [...(byName.get(name) ?? []), rest.join(".")]);
  }
  return [...type.byName.values()].flatMap(({ name, type: inner }) => {
    const below = byName.get(name);
    if (below === undefined) return [name];
    if (below.includes("") || inner.kind !== "message") return [];
    return allBut(inner, below).map((path) => `${name}.${path}`);
  });
}
