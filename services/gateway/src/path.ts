import type { Target } from "@orch/status/target.js";

/** What a path asks for (rules: Path shapes). */
export type Route =
  | ResourceRoute
  /** `/api`, `/apis`, `/apis/<group>`, `/api/v1`, `/apis/<group>/<version>`. */
  | { readonly type: "discovery"; readonly path: string; readonly group?: string; readonly version?: string }
  /** Not below `/api` or `/apis`. */
  | { readonly type: "other"; readonly path: string }
  /** Below `/api` or `/apis`, and no shape of theirs. */
  | { readonly type: "unknown"; readonly path: string };

export interface ResourceRoute {
  readonly type: "resource";
  readonly path: string;
  readonly target: Target;
  /** The deprecated `/watch/` form of a path. */
  readonly watch: boolean;
}

/**
 * Takes a request target's path apart. Percent escapes are decoded segment by segment, so that an encoded
 * slash never makes a new segment; empty, `.` and `..` segments name nothing. Never throws.
 */
export function parsePath(path: string): Route {
  if (path.startsWith("/api/")) return parseGroupless(path);
  if (path.startsWith("/apis/")) return parseGrouped(path);
  if (path === "/api" || path === "/apis") return { type: "discovery", path };
  return { type: "other", path };
}

function parseGroupless(path: string): Route {
  const parts = segments(path, 5);
  if (parts === undefined) return parseProxied(path) ?? { type: "unknown", path };
  const version = parts[0];
  if (version === undefined) return { type: "discovery", path: "/api" };
  if (parts.length === 1) return { type: "discovery", path, group: "", version };
  return resourceRoute(path, { group: "", version, parts, at: 1 });
}

function parseGrouped(path: string): Route {
  const parts = segments(path, 6);
  if (parts === undefined) return { type: "unknown", path };
  const group = parts[0];
  const version = parts[1];
  if (group === undefined) return { type: "discovery", path: "/apis" };
  if (version === undefined) return { type: "discovery", path, group };
  if (parts.length === 2) return { type: "discovery", path, group, version };
  return resourceRoute(path, { group, version, parts, at: 2 });
}

/** The decoded segments from an offset on; undefined if one of them cannot be a name. One closing slash is allowed. */
function segments(path: string, from: number): string[] | undefined {
  const end = path.endsWith("/") ? path.length - 1 : path.length;
  if (end < from) return [];
  const parts = path.slice(from, end).split("/");
  const escaped = path.includes("%");
  for (let i = 0; i < parts.length; i++) {
    const raw = parts[i] ?? "";
    const part = escaped ? decode(raw) : raw;
    if (part === undefined || part === "" || part === "." || part === ".." || part.includes("/")) return undefined;
    parts[i] = part;
  }
  return parts;
}

function decode(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment);
    // A NUL in a name can only be an attempt to reach another key of the store.
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

const namespaceSubresources = new Set(["status", "finalize", "deleted", "history", "rollback", "undelete"]);

interface Located {
  readonly group: string;
  readonly version: string;
  readonly parts: readonly string[];
  /** Where the part behind the version stands. */
  readonly at: number;
}

// On the path of every request: plain indexing instead of destructuring and slices.
function resourceRoute(path: string, { group, version, parts, at }: Located): ResourceRoute {
  const watch = parts[at] === "watch" && parts.length > at + 1;
  const first = watch ? at + 1 : at;
  const third = parts[first + 2];
  const inNamespace =
    third !== undefined &&
    parts[first] === "namespaces" &&
    !(parts.length === first + 3 && namespaceSubresources.has(third)) &&
    !(third === "history" && parts.length === first + 4);
  const resource = inNamespace ? first + 2 : first;
  const target: Target = {
    group,
    version,
    resource: parts[resource] ?? "",
    namespace: inNamespace ? (parts[first + 1] ?? "") : "",
    name: parts[resource + 1] ?? "",
    subresource: parts.length > resource + 2 ? parts.slice(resource + 2).join("/") : "",
  };
  return { type: "resource", path, target, watch };
}

/** Behind these a path is that of another server: what no name of ours could be may stand there. */
const proxies: readonly RegExp[] = [
  /^\/api\/v1\/nodes\/[^/]+\/proxy\//,
  /^\/api\/v1\/namespaces\/[^/]+\/(?:pods|services)\/[^/]+\/proxy\//,
];

/** A path through a proxy with empty segments or escaped slashes; undefined of others, and of one that climbs. */
function parseProxied(path: string): ResourceRoute | undefined {
  const own = proxies.map((proxy) => proxy.exec(path)?.[0]).find((found) => found !== undefined);
  if (own === undefined) return undefined;
  const rest: string[] = [];
  for (const raw of path.slice(own.length).split("/")) {
    const part = decode(raw);
    if (part === undefined || part.split("/").some((step) => step === "." || step === "..")) return undefined;
    if (part !== "") rest.push(part);
  }
  const parts = segments(own, 5);
  const [version = ""] = parts ?? [];
  if (parts === undefined) return undefined;
  const { target } = resourceRoute(path, { group: "", version, parts, at: 1 });
  return { type: "resource", path, target: { ...target, subresource: ["proxy", ...rest].join("/") }, watch: false };
}
