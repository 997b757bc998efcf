import { treeOf } from "@orch/codec/json.js";
import { ApiError, unavailable } from "@orch/status/api-error.js";
import { connectionError, statusError } from "./failure.js";
import { type Client, readParts, type Selectors } from "./http.js";
import { createLineSplitter } from "./lines.js";
import { type ApiObject, type Collection, isApiObject, isRecord, pathOf } from "./objects.js";

export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject }
  /** Progress: nothing of this collection has changed up to the object's resourceVersion. */
  | { readonly type: "BOOKMARK"; readonly object: ApiObject };

export interface WatchOptions extends Selectors {
  /** Events after this version; absent: what there is as ADDED, then changes. */
  readonly resourceVersion?: string;
  readonly timeoutSeconds?: number;
  readonly sendInitialEvents?: boolean;
  readonly resourceVersionMatch?: "NotOlderThan";
  /** Bookmarks are asked for unless this is false. */
  readonly bookmarks?: boolean;
  /** Media type of the events' objects: `application/json` where absent. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/**
 * Events of a collection in order (rules: Events). Read as slowly as you like: the server is held back, and ends
 * a watcher that stays too far behind. Ends when the server ends the watch; throws ApiError for an ERROR event
 * (Expired: take a new list) and for a broken connection, the signal's reason when aborted.
 */
export async function* watch(
  client: Pick<Client, "stream">,
  collection: Collection,
  options: WatchOptions = {},
): AsyncGenerator<WatchEvent, void, void> {
  const { signal, accept, bookmarks, ...query } = options;
  const body = await client.stream({
    method: "GET",
    path: pathOf(collection),
    query: { ...query, watch: true, allowWatchBookmarks: bookmarks !== false },
    ...readParts({ accept, signal }),
  });
  try {
    for await (const line of linesOf(body)) yield eventOf(line);
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw connectionError(error, true);
  } finally {
    body.destroy();
  }
}

/** No object may be stored that is near this size; a server that sends it is broken. */
const longestLine = 64 * 1024 * 1024;

/** `{…}\n{…}\n` in chunks cut anywhere → one buffer per line. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  const splitter = createLineSplitter();
  for await (const chunk of chunks) {
    yield* splitter.push(chunk);
    if (splitter.pending > longestLine)
      throw new ApiError("InternalError", `an event of more than ${longestLine} bytes`);
  }
  if (splitter.pending > 0) throw unavailable("the watch was cut within an event");
}

function eventOf(line: Buffer): WatchEvent {
  const event: unknown = treeOf(line);
  const type = isRecord(event) ? event["type"] : undefined;
  const object = isRecord(event) ? event["object"] : undefined;
  if (type === "ERROR" && isRecord(object)) throw statusError(object);
  if (isApiObject(object)) {
    if (type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK") return { type, object };
  }
  throw new ApiError("InternalError", `a watch event of unknown form: type ${JSON.stringify(type)}`);
}
