/** What a path asks for (spec 1: Path shapes). */
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
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** "" when the path names none. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
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
  if (parts === undefined) return { type: "unknown", path };
  const [version, ...rest] = parts;
  if (version === undefined) return { type: "discovery", path: "/api" };
  if (rest.length === 0) return { type: "discovery", path, group: "", version };
  return resourceRoute(path, { group: "", version }, rest);
}

function parseGrouped(path: string): Route {
  const parts = segments(path, 6);
  if (parts === undefined) return { type: "unknown", path };
  const [group, version, ...rest] = parts;
  if (group === undefined) return { type: "discovery", path: "/apis" };
  if (version === undefined) return { type: "discovery", path, group };
  if (rest.length === 0) return { type: "discovery", path, group, version };
  return resourceRoute(path, { group, version }, rest);
}

/** Decoded segments from an offset on; undefined where one of them can be no name. One closing slash is allowed. */
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
    // A NUL or a slash in a name can only be an attempt to reach another key.
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

const namespaceSubresources = new Set(["status", "finalize"]);

function resourceRoute(path: string, gv: { group: string; version: string }, parts: readonly string[]): Route {
  const watch = parts[0] === "watch" && parts.length > 1;
  const rest = watch ? parts.slice(1) : parts;
  const base = { type: "resource", path, ...gv, watch } as const;
  const [first, second, third, ...more] = rest;
  if (first === undefined) return { type: "unknown", path };
  const inNamespace =
    first === "namespaces" &&
    second !== undefined &&
    third !== undefined &&
    !(more.length === 0 && namespaceSubresources.has(third));
  if (inNamespace) {
    const [name = "", ...subresource] = more;
    return { ...base, resource: third, namespace: second, name, subresource: subresource.join("/") };
  }
  const subresource = rest.slice(2).join("/");
  return { ...base, resource: first, namespace: "", name: second ?? "", subresource };
}
