import { treeOf } from "@orch/codec/json.js";
import { ApiError, unavailable } from "@orch/status/api-error.js";
import { type Client, readParts, type Selectors } from "./client.js";
import { connectionError, statusError } from "./http/failure.js";
import { createLineSplitter } from "./lines.js";
import { type ApiObject, type Collection, isApiObject, isRecord, pathOf } from "./objects.js";
import { eventWithoutManagers } from "./without-managers.js";

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
  /** Leaves managedFields out, of events that show metadata alone. */
  readonly withoutManagers?: boolean;
  readonly signal?: AbortSignal;
}

/** Events of {@link watchBatches}, one by one. */
export async function* watch(
  client: Pick<Client, "stream">,
  collection: Collection,
  options: WatchOptions = {},
): AsyncGenerator<WatchEvent, void, void> {
  for await (const batch of watchBatches(client, collection, options)) yield* batch;
}

/**
 * Events of a collection in order, those together that came together (rules: Events). Read as slowly as you like: the server
 * is held back, and ends a watcher that stays too far behind. Ends when the server ends the watch; throws ApiError for
 * an ERROR event (Expired: take a new list) and for a broken connection, the signal's reason when aborted.
 */
export async function* watchBatches(
  client: Pick<Client, "stream">,
  collection: Collection,
  options: WatchOptions = {},
): AsyncGenerator<readonly WatchEvent[], void, void> {
  const { signal, accept, bookmarks, withoutManagers = false, ...query } = options;
  const body = await client.stream({
    method: "GET",
    path: pathOf(collection),
    query: { ...query, watch: true, allowWatchBookmarks: bookmarks !== false },
    ...readParts({ accept, signal }),
  });
  try {
    for await (const lines of batchesOf(body)) {
      const { events, failure } = eventsOf(withoutManagers ? lines.map(eventWithoutManagers) : lines);
      if (events.length > 0) yield events;
      if (failure !== undefined) throw failure;
    }
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw connectionError(error, true);
  } finally {
    body.destroy();
  }
}

/** No object may be stored that is near this size; a server that sends it is broken. */
const longestLine = 64 * 1024 * 1024;

/** `{…}\n{…}\n` in chunks cut anywhere → the lines that each chunk ends. */
async function* batchesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Buffer[], void, void> {
  const splitter = createLineSplitter();
  for await (const chunk of chunks) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield lines;
    if (splitter.pending > longestLine)
      throw new ApiError("InternalError", `an event of more than ${longestLine} bytes`);
  }
  if (splitter.pending > 0) throw unavailable("the watch was cut within an event");
}

/** One buffer per line. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  for await (const lines of batchesOf(chunks)) yield* lines;
}

/** The events before one that is a failure, or makes no sense. */
function eventsOf(lines: readonly Buffer[]): { readonly events: readonly WatchEvent[]; readonly failure?: unknown } {
  const events: WatchEvent[] = [];
  try {
    for (const line of lines) events.push(eventOf(line));
    return { events };
  } catch (failure) {
    return { events, failure };
  }
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
