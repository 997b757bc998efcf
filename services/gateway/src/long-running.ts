import type { Received } from "./call.js";

/** Subresources whose answers last for as long as both sides want. */
const longParts: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** Where profiles are, which take as long as their requests say. */
const profiles = "/debug/pprof/";

/** Whether an answer lasts for as long as its client wants: a watch, what a node answers, a profile. */
export function isLongRunning({ verb, route }: Pick<Received, "verb" | "route">): boolean {
  if (route.type !== "resource") return route.type === "other" && route.path.startsWith(profiles);
  return verb === "watch" || verb === "proxy" || isConnection(route.target.subresource);
}

/** Whether a subresource is a connection to somebody else: `exec`, `proxy/some/path`. */
export function isConnection(subresource: string): boolean {
  if (subresource === "") return false;
  const slash = subresource.indexOf("/");
  return longParts.has(slash < 0 ? subresource : subresource.slice(0, slash));
}
