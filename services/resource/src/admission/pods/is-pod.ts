import type { Kind } from "@orch/api/catalog.js";

/** Writes of pods themselves, of no part of one. */
export function isPod({ group, plural }: Pick<Kind, "group" | "plural">, subresource: string): boolean {
  return group === "" && plural === "pods" && subresource === "";
}
