import type { Kind } from "@orch/api/catalog.js";
import type { Change } from "@orch/cache/change.js";
import { eventFor } from "@orch/cache/change.js";
import type { Batch, Interest, Watcher } from "@orch/cache/feeds.js";
import type { History } from "@orch/cache/history.js";
import { inScope } from "@orch/cache/selection.js";
import type { Chunk, WatchRequest } from "@orch/rpc/messages.js";
import type { Pacer } from "@orch/rpc/pacer.js";
import type { Sender } from "@orch/rpc/rpc.js";
import { ApiError, expired } from "@orch/status/api-error.js";
import { type ListDeps, list } from "./list/list.js";
import type { CachedObject } from "./object.js";
import { createOutlet, type Outlet } from "./outlet.js";
import { type WatchStart, watchStart } from "./read-options.js";
import type { Asked, Readable } from "./readable.js";
import type { Rendition } from "./rendition.js";
import { type Selector, selectionOf, selectorOf } from "./selector.js";

export interface WatchDeps extends ListDeps {
  /** Streams that carry bookmarks register here. */
  readonly open: Set<OpenWatch>;
  readonly initialEventsEnd: string;
  /** Whether there are streaming lists (gate WatchList). */
  readonly streamingLists: boolean;
  /** Bytes that may wait for one watcher before it is ended. */
  readonly maxPendingBytes: number;
  readonly chunkOf: ChunkOf;
  /** In which first states that are costly to make take turns. */
  readonly pacer: Pacer;
}

/** One message object a batch: the transport knows a message sent to many streams by its identity. */
export type ChunkOf = (batch: Batch) => Chunk;

export function createChunkOf(): ChunkOf {
  let last: Batch | undefined;
  let chunk: Chunk = { body: Buffer.alloc(0) };
  return (batch) => {
    if (batch !== last) {
      last = batch;
      chunk = { body: batch.frames, live: { events: batch.events, since: batch.since } };
    }
    return chunk;
  };
}

/** A running watch as the service sees it. */
export interface OpenWatch {
  /** Sends a bookmark if the client asked for them and everything before was sent. */
  bookmark(): void;
  /** Ends it with a last bookmark (orderly stop, or its time is over). */
  finish(): void;
  /** The same where its kind is one of these, which are no more or say something else now. */
  leave(kinds: ReadonlySet<Kind>): void;
  /** Ends it with an ERROR event: the history is gone. */
  expire(): void;
  /** The same where it follows an object that can no longer be read. */
  lose(storagePrefix: string, key: string, error: ApiError): void;
}

const everything = (): boolean => true;
/** Milliseconds: as long as a timer can be. What waits so long ends with its client, or with the watch's own time. */
const forever = 0x7fffffff;

/** A watch (rules: Change tracking; Resource version semantics, watch). Events go out as lines of JSON. */
export function watch(
  deps: WatchDeps,
  { readable, rendition }: Asked,
  call: { request: WatchRequest; sender: Sender<Chunk> },
): void {
  const { request, sender } = call;
  const start = watchStart(
    { ...request, limit: 0, continueToken: "", streamingLists: deps.streamingLists },
    deps.metaGroup,
  );
  const selector = selectorOf(readable, request);
  const outlet = createOutlet(sender, {
    maxPendingBytes: deps.maxPendingBytes,
    pacer: rendition.made ? deps.pacer : undefined,
    errorFrame: (error) => rendition.error({ ...error.toStatus() }),
  });
  const running: Running = { deps, readable, next: rendition, selector, outlet, request };
  const timer = request.timeoutMs > 0 ? setTimeout(() => opened.finish(), request.timeoutMs) : undefined;
  const opened = openWatch(running);
  deps.open.add(opened);
  sender.onCancel(() => outlet.close());
  outlet.onClose(() => {
    clearTimeout(timer);
    deps.open.delete(opened);
  });
  begin(running, start).catch((error: unknown) => outlet.fail(ApiError.from(error)));
}

interface Running {
  readonly deps: WatchDeps;
  readonly readable: Readable;
  /** How the next event is written: a first one may be another way than those that follow. */
  next: Rendition;
  readonly selector: Selector;
  readonly outlet: Outlet;
  readonly request: WatchRequest;
}

/** Something to send before the live stream. */
function queue(running: Running, bytes: number, make: (rendition: Rendition) => Buffer): void {
  const { next } = running;
  running.next = next.following;
  running.outlet.queue(bytes, () => make(next));
}

function openWatch(running: Running): OpenWatch {
  const { deps, outlet, request, readable, selector } = running;
  const bookmark = (): void => {
    if (!request.allowBookmarks || !outlet.live || !deps.mirror.loaded) return;
    deps.mirror.flush();
    outlet.send({ body: running.next.bookmark(deps.mirror.gate.revision) });
  };
  const finish = (): void => {
    bookmark();
    outlet.end();
  };
  return {
    bookmark,
    finish,
    leave(kinds) {
      if (kinds.has(readable.kind)) finish();
    },
    expire() {
      outlet.error(expired("too old resource version: the history was lost"));
    },
    lose(storagePrefix, key, error) {
      if (readable.kind.storage.prefix === storagePrefix && inScope(selector.scope, key)) outlet.error(error);
    },
  };
}

async function begin(running: Running, start: WatchStart): Promise<void> {
  const { deps, readable, outlet } = running;
  const { mirror } = deps;
  if (start.type === "after") {
    await deps.freshness.source({ type: "any" });
    outlet.accept();
    // A version that is not there yet: the watch waits for it, as long as the client does.
    const reached = await mirror.gate.reach(start.revision, forever, outlet.onClose);
    if (reached && historyOf(running).floor > start.revision) await mirror.recalled();
    if (reached && !outlet.closed) resume(running, start.revision);
    return;
  }
  const source = await deps.freshness.source(start.freshness).catch((error: unknown) => {
    // A version that did not come in time ends a watch that has begun, as in the reference.
    if (error instanceof ApiError && error.reason === "Timeout") outlet.accept();
    throw error;
  });
  if (outlet.closed) return;
  outlet.accept();
  if (start.type === "now") {
    join(running);
    return;
  }
  if (source === "store") await fromStore(running, start.announceEnd);
  else {
    const { collection, unreadable } = mirror.shelf(readable.kind.storage.prefix);
    unreadable.refuse(running.selector.scope);
    const { items } = collection.select(selectionOf(running.selector));
    initialState(running, { items, revision: mirror.gate.revision, announceEnd: start.announceEnd });
  }
}

/** The mirror could not show the newest state: the list comes from the store, the events after it from the mirror. */
async function fromStore(running: Running, announceEnd: boolean): Promise<void> {
  const { deps, readable, request, outlet } = running;
  const body = await list(deps, readable, {
    ...request,
    resourceVersion: "",
    resourceVersionMatch: "",
    limit: 0,
    continueToken: "",
    sendInitialEvents: undefined,
    gzip: false,
  });
  if (outlet.closed) return;
  sendInitial(running, { items: body.items, revision: body.resourceVersion, announceEnd });
  outlet.flush();
  const reached = await deps.mirror.gate.reach(body.resourceVersion, forever, outlet.onClose);
  if (reached && !outlet.closed) resume(running, body.resourceVersion);
}

interface InitialState {
  readonly items: readonly CachedObject[];
  readonly revision: number;
  readonly announceEnd: boolean;
}

function initialState(running: Running, state: InitialState): void {
  sendInitial(running, state);
  join(running);
}

function sendInitial(running: Running, state: InitialState): void {
  for (const item of state.items)
    queue(running, item.size, (rendition) => rendition.event("ADDED", item, item.revision));
  if (!state.announceEnd) return;
  queue(running, 0, (rendition) => rendition.bookmark(state.revision, running.deps.initialEventsEnd));
}

/** Replays the history after a revision and joins the stream, in one turn: nothing falls between. */
function resume(running: Running, after: number): void {
  const { outlet } = running;
  const history = historyOf(running);
  const missed = history.since(after);
  if (missed === undefined) {
    outlet.error(expired(`too old resource version: ${after} (${history.floor})`));
    return;
  }
  for (const change of missed) queueChange(running, change);
  join(running);
}

function historyOf({ deps, readable }: Running): History<CachedObject> {
  return deps.mirror.shelf(readable.kind.storage.prefix).collection.history;
}

function queueChange(running: Running, change: Change<CachedObject>): void {
  const { selector } = running;
  if (!inScope(selector.scope, change.key)) return;
  const event = eventFor(change, selector.matches ?? everything);
  if (event === undefined) return;
  const { type, item } = event;
  queue(running, item.size, (rendition) => rendition.event(type, item, change.revision));
}

function join(running: Running): void {
  const leave = joinFeed(running);
  running.outlet.onClose(() => leave());
  running.outlet.goLive();
}

/** Delivers what changes from now on; gives how to leave. */
function joinFeed(running: Running): () => void {
  const { deps, readable, next, selector, outlet } = running;
  const { feeds } = deps.mirror.shelf(readable.kind.storage.prefix);
  const interest: Interest<CachedObject> = {
    id: `${next.id}|${selector.id}`,
    scope: selector.scope,
    matches: selector.matches ?? everything,
    ...(selector.exact === undefined ? {} : { exact: selector.exact }),
    encode: next.liveEvent,
  };
  const isLast = next.following === next;
  const watcher: Watcher = {
    deliver(batch) {
      outlet.send(deps.chunkOf(batch));
      if (isLast || outlet.closed) return;
      // Its first event is out: from here on it shares what those get that have theirs.
      running.next = next.following;
      leave();
      leave = joinFeed(running);
    },
  };
  let leave = feeds.join(interest, watcher);
  return () => leave();
}
