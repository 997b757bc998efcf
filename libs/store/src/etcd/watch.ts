import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Clock } from "../clock.js";
import type { Logger } from "../logger.js";
import { StoreSetBack } from "../set-back.js";
import type { WatchItem, WatchQuery } from "../store.js";
import { StoreUnreachable } from "../unreachable.js";
import type { Calls } from "./calls.js";
import type { Connections, StreamConnection } from "./connections.js";
import { failureOf, isCallError } from "./failure.js";
import { compactionKey, withoutNotes } from "./layout.js";
import { methods } from "./methods.js";
import type { Cluster, Observed } from "./observed.js";
import { isLeftBy, traceOfProof } from "./proof.js";
import { read, revisionOf } from "./range.js";
import { requestProgress } from "./request-progress.js";
import { canReportProgress } from "./version.js";
import { createResponseReader, type ResponseReader } from "./watch-response.js";

export interface WatchContext {
  readonly prefix: string;
  readonly calls: Calls;
  readonly connections: Connections;
  readonly observed: Observed;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
}

const firstPauseMs = 20;
const longestPauseMs = 2_000;
const connectMs = 2_000;
const statusMs = 2_000;
/** A server says at once that it has begun a watch: one that stays silent for so long has not. */
const beginMs = 10_000;

/**
 * One watch, over as many streams as it takes (see Store.watch). A new stream starts behind the last
 * event that was delivered; the revision in a stream's first reply may lie far ahead of that and is
 * not looked at.
 */
export async function* watch(context: WatchContext, query: WatchQuery): AsyncGenerator<WatchItem> {
  const { cluster } = context.observed;
  const signal = AbortSignal.any([query.signal, cluster.replaced]);
  const reader = createResponseReader(context.prefix, query.from, query.known && traceOfProof(query.known));
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    const connection = context.connections.dial();
    const before = reader.next();
    try {
      await unlessAborted(checkHistory(context, reader), signal);
      yield* follow(context, { ...query, signal }, { connection, reader, cluster });
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof ApiError && error.reason === "Expired") throw error;
      // That the store is away is told by whoever calls it; that a connection ended is what they do.
      if (!(error instanceof StoreUnreachable) && !(isCallError(error) && failureOf(error).type === "lost")) {
        const why = messageOf(error);
        context.logger?.warn(
          { why, endpoint: connection.endpoint, next: reader.next() },
          "the watch of the store was cut",
        );
      }
    } finally {
      connection.close();
    }
    if (reader.next() > before) pauseMs = firstPauseMs;
    await context.clock.sleep(pauseMs, signal);
  }
  if (!query.signal.aborted) throw cluster.replaced.reason;
}

/**
 * Expired when the state before the first change is gone, or when the store is not the one that told what was
 * delivered so far: it was set back to a backup, whether or not it has come as far again since. etcd itself accepts
 * a watch from exactly the compacted revision, but servers before 3.4.31 and 3.5.13 then lose a deletion that
 * happened at it.
 */
async function checkHistory({ prefix, calls, observed }: WatchContext, reader: ResponseReader): Promise<void> {
  const before = reader.next() - 1;
  if (before < 1) return;
  const last = reader.last();
  try {
    const key = last?.key ?? Buffer.from(compactionKey(prefix));
    const response = await read(calls, { key, revision: before, countOnly: last === undefined });
    if (last !== undefined && !isLeftBy(last, response.kvs?.[0])) throw setBack(observed, before);
    observed.see(revisionOf(response));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // A start that is still to come, unless it was there once.
    if (before <= observed.newest()) throw setBack(observed, before);
  }
}

function setBack(observed: Observed, before: number): Error {
  observed.setBack();
  return new StoreSetBack(`the store was set back: its revision ${before} is no longer what it was`);
}

interface Stream {
  readonly connection: StreamConnection;
  readonly reader: ResponseReader;
  readonly cluster: Cluster;
}

/** The items of one stream until it ends. A consumer that does not come back stops the reading, and by it the server. */
async function* follow(
  context: WatchContext,
  query: WatchQuery,
  { connection, reader, cluster }: Stream,
): AsyncGenerator<WatchItem> {
  const { calls, observed } = context;
  const { signal } = query;
  if ((await unlessAborted(connection.isUp(connectMs), signal)) !== true) return;
  const token = await unlessAborted(calls.token(), signal);
  const version = await unlessAborted(serverVersion(connection, token), signal);
  if (signal.aborted) return;
  const stream = connection.stream(methods.watch, token);
  const cancel = (): void => stream.cancel();
  stream.on("error", () => undefined); // after the loop below has ended nobody else listens
  signal.addEventListener("abort", cancel);
  const progress = requestProgress({
    observed,
    delivered: () => reader.next() - 1,
    send: canReportProgress(version ?? "") ? () => stream.write({ progressRequest: {} }) : undefined,
  });
  const begun = new AbortController();
  void context.clock.sleep(beginMs, begun.signal).then(() => {
    if (begun.signal.aborted) return;
    context.logger?.warn(
      { endpoint: connection.endpoint },
      "a watch of the store was not begun; it is asked for again",
    );
    stream.cancel();
  });
  try {
    reader.restart();
    const { start, end } = withoutNotes(context.prefix, query.prefix);
    stream.write({
      createRequest: { key: start, rangeEnd: end, startRevision: reader.next(), prevKv: true, fragment: true },
    });
    for await (const response of stream) {
      // Each abort makes an exception with its stack, also one that changes nothing.
      if (!begun.signal.aborted) begun.abort();
      observed.answered(response.header, cluster);
      if (signal.aborted) return;
      if (response.canceled === true) calls.tokenRefused(token);
      for (const item of reader.items(response)) {
        if (signal.aborted) return;
        yield item;
      }
      observed.see(reader.next() - 1);
      progress.delivered();
    }
  } finally {
    begun.abort();
    progress.stop();
    signal.removeEventListener("abort", cancel);
    stream.cancel();
  }
}

async function serverVersion(connection: StreamConnection, token: string | undefined): Promise<string> {
  const { version } = await connection.call(methods.status, {}, { timeoutMs: statusMs, token });
  return version ?? "";
}

/** The promise's value, or undefined as soon as the signal aborts. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return undefined;
  }
  let stop: (() => void) | undefined;
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
  }
}
