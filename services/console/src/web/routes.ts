import type { Kind } from "./api/discovery.js";

/** What a page of the console is about; what stands behind the `#` of its address. */
export type Route =
  | { readonly page: "kinds" | "deleted" | "who-can" | "flow-control" | "deprecated" | "unknown" }
  | {
      readonly page: "list";
      readonly kind: KindRef;
      readonly namespace: string;
      readonly labels: string;
      readonly search: string;
    }
  | {
      readonly page: "object";
      readonly kind: KindRef;
      readonly namespace: string;
      readonly name: string;
      readonly tab: string;
    };

export type KindRef = Pick<Kind, "group" | "version" | "plural">;

const plainPages = ["deleted", "who-can", "flow-control", "deprecated"] as const;
/** Stands for the core group, and for no namespace. */
const none = "-";

/** Of `#/…`; `unknown` where it names no page. */
export function parseRoute(hash: string): Route {
  const mark = hash.indexOf("?");
  const path = mark < 0 ? hash : hash.slice(0, mark);
  const parameters = new URLSearchParams(mark < 0 ? "" : hash.slice(mark + 1));
  const parts = path
    .replace("#", "")
    .split("/")
    .filter((part) => part !== "")
    .map(decoded);
  const [first = "", group = "", version = "", plural = "", namespace = "", name = ""] = parts;
  if (parts.length === 0) return { page: "kinds" };
  const plain = plainPages.find((page) => page === first);
  if (plain !== undefined && parts.length === 1) return { page: plain };
  if (first !== "r") return { page: "unknown" };
  const kind = { group: group === none ? "" : group, version, plural };
  const given = (key: string): string => parameters.get(key) ?? "";
  if (parts.length === 4)
    return { page: "list", kind, namespace: given("ns"), labels: given("labels"), search: given("q") };
  if (parts.length !== 6) return { page: "unknown" };
  return {
    page: "object",
    kind,
    namespace: namespace === none ? "" : namespace,
    name,
    tab: given("tab") || "overview",
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const kindPath = ({ group, version, plural }: KindRef): string =>
  ["#/r", ...[group || none, version, plural].map(encodeURIComponent)].join("/");

export interface ListQuery {
  readonly namespace?: string;
  readonly labels?: string;
  readonly search?: string;
}

export function listRoute(kind: KindRef, { namespace = "", labels = "", search = "" }: ListQuery = {}): string {
  const given = Object.entries({ ns: namespace, labels, q: search }).filter(([, value]) => value !== "");
  return `${kindPath(kind)}${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
}

export interface ObjectPlace {
  readonly namespace: string;
  readonly name: string;
  readonly tab?: string;
}

export function objectRoute(kind: KindRef, { namespace, name, tab = "overview" }: ObjectPlace): string {
  const path = [kindPath(kind), ...[namespace || none, name].map(encodeURIComponent)].join("/");
  return tab === "overview" ? path : `${path}?tab=${encodeURIComponent(tab)}`;
}
