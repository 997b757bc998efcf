import type { Target } from "@orch/status/target.js";
import type { HttpRequest } from "../http/request.js";

/** What lists cost, told by the bytes that the last of the same collection, selectors and page size came to. */
export interface ListCosts {
  /** How many seats a list is worth, before its level's bound. */
  seats(target: Target, sent: Sent): number;
  learn(target: Target, sent: Sent, bytes: number): void;
}

/** What a list asks for besides its path. */
type Sent = Pick<HttpRequest, "query" | "header">;

/** About 100 objects. */
const bytesPerSeat = 100_000;
const objectsPerSeat = 100;
/** Lists that are remembered. */
const remembered = 1000;

export function createListCosts(): ListCosts {
  const bytes = new Map<string, number>();
  return {
    seats(target, sent) {
      const { query } = sent;
      const of = collectionOf(target, sent);
      const selection = selectionOf(query);
      const known = bytes.get(of + selection);
      if (known !== undefined) return Math.ceil(known / bytesPerSeat);
      // The size of a selection is not known: it is estimated as the whole collection.
      const whole = selection === "" ? undefined : bytes.get(of);
      const all = whole === undefined ? 1 : Math.ceil(whole / bytesPerSeat);
      const limit = Number(query?.get("limit") ?? 0);
      return limit > 0 ? Math.min(all, Math.ceil(limit / objectsPerSeat)) : all;
    },
    learn(target, sent, count) {
      const key = collectionOf(target, sent) + selectionOf(sent.query);
      // The entry that was used last is forgotten last.
      bytes.delete(key);
      bytes.set(key, count);
      const [oldest] = bytes.keys();
      if (bytes.size > remembered && oldest !== undefined) bytes.delete(oldest);
    },
  };
}

/** A compressed list is counted apart: it is smaller, and made once for many clients. */
function collectionOf({ group, resource, namespace }: Target, sent: Sent): string {
  const compressed = sent.header("accept-encoding")?.includes("gzip") === true;
  return `${group}/${resource}/${namespace}${compressed ? "|gzip" : ""}`;
}

/** "" where everything is asked for. A page's place does not matter, its size does. */
function selectionOf(query: URLSearchParams | undefined): string {
  if (query === undefined) return "";
  const [labels, fields, limit] = ["labelSelector", "fieldSelector", "limit"].map((name) => query.get(name) ?? "");
  return labels === "" && fields === "" && limit === "" ? "" : `?${limit}&${labels}&${fields}`;
}
