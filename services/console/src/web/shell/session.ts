import { readJson } from "@orch/status/read-json.js";
import type { Credentials } from "../api/credentials.js";
import { textAt } from "../json.js";

const place = "orch-console-session";

/** Kept for this tab alone, and only where somebody wants that: a token that lies in the page dies with it. */
export function keepCredentials(credentials: Credentials): void {
  sessionStorage.setItem(place, JSON.stringify(credentials));
}

export function forgetCredentials(): void {
  sessionStorage.removeItem(place);
}

export function keptCredentials(): Credentials | undefined {
  const kept = sessionStorage.getItem(place);
  if (kept === null) return undefined;
  const tree: unknown = readJson(kept);
  const token = textAt(tree, "token");
  if (textAt(tree, "type") === "browser") return { type: "browser" };
  const refreshToken = textAt(tree, "refreshToken") || undefined;
  return token === "" ? undefined : { type: "token", token, refreshToken };
}
