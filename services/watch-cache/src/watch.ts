import type { Kind } from "@orch/api/catalog.js";
import type { Change } from "@orch/cache/change.js";
import { eventFor } from "@orch/cache/change.js";
import type { Batch, Interest, Watcher } from "@orch/cache/feeds.js";
import type { History } from "@orch/cache/history.js";
import { type Namespaces, namespaceOf, namespacesOf } from "@orch/cache/namespaces.js";
import { inScope } from "@orch/cache/selection.js";
import { permittedChanged } from "@orch/naming/naming.js";
import type { Chunk, WatchRequest } from "@orch/rpc/messages.js";
import type { Pacer } from "@orch/rpc/pacer.js";
import type { Sender } from "@orch/rpc/rpc.js";
import { ApiError, expired } from "@orch/status/api-error.js";
import { type InitialFrames, neighboursOf } from "./initial-frames.js";
import { type ListDeps, list } from "./list/list.js";
import type { CachedObject } from "./object.js";
import { createOutlet, type Outlet } from "./outlet.js";
import { type WatchStart, watchStart } from "./read-options.js";
import type { Asked, Readable } from "./readable.js";
import type { Rendition } from "./renditions/rendition.js";
import { type Selector, selectionOf, selectorOf, withinSeen } from "./selector.js";
import { type ChangeEvent, type ConvertedStream, convertedStream, wakeUp } from "./watch-converted.js";

export interface WatchDeps extends ListDeps {
  /** Streams that carry bookmarks register here. */
  readonly open: Set<OpenWatch>;
  readonly initialEventsEnd: string;
  /** Annotation of the same bookmark: a list without items, of which clients make one of what they were told. */
  readonly emptyList: string;
  /** Whether there are streaming lists (gate WatchList). */
  readonly streamingLists: boolean;
  /** Bytes that may wait for one watcher before it is ended. */
  readonly maxPendingBytes: number;
  readonly chunkOf: ChunkOf;
  /** The same with its revision. */
  readonly placedChunkOf: ChunkOf;
  /** In which first states take turns. */
  readonly pacer: Pacer;
  readonly initial: InitialFrames;
}

/** One message object a batch: the transport knows a message sent to many streams by its identity. */
export type ChunkOf = (batch: Batch) => Chunk;

export function createChunkOf({ placed = false } = {}): ChunkOf {
  let last: Batch | undefined;
  let chunk: Chunk = { body: Buffer.alloc(0) };
  return (batch) => {
    if (batch !== last) {
      last = batch;
      const { frames: body, events, since, revision } = batch;
      chunk = placed ? { body, live: { events, since }, revision } : { body, live: { events, since } };
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

/** Bytes of a first state that goes out in one turn. */
const smallState = 128 * 1024;

const everything = (): boolean => true;
const nothing = Buffer.alloc(0);
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
    pacer: deps.pacer,
    errorFrame: (error) => rendition.error({ ...error.toStatus() }),
  });
  const converted = convertedOf(deps, { readable, rendition }, { selector, outlet });
  const sent = deps.told?.watched(readable.kind);
  const running: Running = { deps, readable, next: rendition, selector, outlet, request, converted, sent };
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
  /** Where a webhook converts what is shown. */
  readonly converted: ConvertedStream | undefined;
  /** Told of what is sent, for metrics. */
  readonly sent: ((events: number, bytes: number) => void) | undefined;
}

function convertedOf(
  deps: WatchDeps,
  { readable, rendition }: Asked,
  { selector, outlet }: { readonly selector: Selector; readonly outlet: Outlet },
): ConvertedStream | undefined {
  if (!rendition.asks) return undefined;
  const shelf = () => deps.mirror.shelf(readable.kind.storage.prefix);
  return convertedStream({
    outlet,
    rendition,
    history: () => shelf().collection.history,
    eventOf: (change) => shownOf(selector, change),
    listen: (changed) =>
      shelf().feeds.join({ ...interestOf(selector), id: `wake|${selector.id}`, encode: wakeUp }, { deliver: changed }),
    revision: () => deps.mirror.gate.revision,
    expired: (after) => outlet.error(expired(`too old resource version: ${after}`)),
  });
}

/** Something to send before the live stream. */
function queue(running: Running, bytes: number, make: (rendition: Rendition) => Buffer): void {
  const { next } = running;
  running.next = next.following;
  const { sent } = running;
  running.outlet.queue(bytes, () => {
    const frame = make(next);
    sent?.(1, frame.length);
    return frame;
  });
}

function openWatch(running: Running): OpenWatch {
  const { deps, outlet, request, readable, selector } = running;
  const bookmark = (): void => {
    if (!request.allowBookmarks || !outlet.live || !deps.mirror.loaded) return;
    deps.mirror.flush();
    // What a webhook has not converted yet is behind it.
    const revision = running.converted?.revision ?? deps.mirror.gate.revision;
    if (revision > 0) outlet.send({ body: running.next.bookmark(revision) });
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
    if (reached && !outlet.closed) await resume(running, start.revision);
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
    if (running.converted === undefined) join(running);
    else await running.converted.follow(mirror.gate.revision);
    return;
  }
  if (source === "store") await fromStore(running, start.announceEnd);
  else {
    const { collection, unreadable } = mirror.shelf(readable.kind.storage.prefix);
    unreadable.refuse(running.selector.scope);
    const { items } = collection.select(selectionOf(running.selector));
    await initialState(running, { items, revision: mirror.gate.revision, announceEnd: start.announceEnd });
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
  await sendInitial(running, { items: body.items, revision: body.resourceVersion, announceEnd });
  outlet.flush();
  const reached = await deps.mirror.gate.reach(body.resourceVersion, forever, outlet.onClose);
  if (reached && !outlet.closed) await resume(running, body.resourceVersion);
}

interface InitialState {
  readonly items: readonly CachedObject[];
  readonly revision: number;
  readonly announceEnd: boolean;
}

/** A small one and what follows it in one turn; what changes while a large one is sent comes behind it, out of history. */
async function initialState(running: Running, state: InitialState): Promise<void> {
  const { converted, outlet, deps } = running;
  if (converted !== undefined) {
    await sendInitial(running, state);
    await converted.follow(state.revision);
    return;
  }
  const bytes = state.items.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= smallState) {
    await joinAfter(running, state);
    return;
  }
  const over = deps.initial.begin();
  outlet.onClose(over);
  queueInitial(running, state);
  await outlet.sent();
  over();
  if (!outlet.closed) await resume(running, state.revision);
}

function joinAfter(running: Running, state: InitialState): Promise<void> | undefined {
  const sent = sendInitial(running, state);
  join(running);
  return sent;
}

/** Objects by the group: others that begin now share their events. */
function queueInitial(running: Running, { items, revision, announceEnd }: InitialState): void {
  const { deps, outlet, next, sent, readable } = running;
  if (next.following !== next) {
    void sendInitial(running, { items, revision, announceEnd });
    return;
  }
  deps.told?.began(readable.kind, items.length);
  for (const group of neighboursOf(items)) {
    outlet.queue(group.bytes, () => {
      const frames = deps.initial.of(next, group.items);
      sent?.(group.items.length, frames.length);
      return frames;
    });
  }
  if (announceEnd)
    queue(running, 0, (rendition) => rendition.bookmark(revision, deps.initialEventsEnd, deps.emptyList));
}

function sendInitial(running: Running, state: InitialState): Promise<void> | undefined {
  const { converted, deps } = running;
  if (converted !== undefined) {
    const events = state.items.map((item) => ({ type: "ADDED" as const, item, revision: item.revision }));
    const end = (rendition: Rendition): Buffer =>
      rendition.bookmark(state.revision, deps.initialEventsEnd, deps.emptyList);
    return converted.begin(events, state.announceEnd ? end : undefined);
  }
  deps.told?.began(running.readable.kind, state.items.length);
  for (const item of state.items)
    queue(running, item.size, (rendition) => rendition.event("ADDED", item, item.revision));
  if (state.announceEnd)
    queue(running, 0, (rendition) => rendition.bookmark(state.revision, deps.initialEventsEnd, deps.emptyList));
  return undefined;
}

/** Replays the history after a revision and joins the stream, in one turn: nothing falls between. */
function resume(running: Running, after: number): Promise<void> | undefined {
  const { converted } = running;
  if (converted !== undefined) return converted.follow(after);
  const history = historyOf(running);
  const missed = history.since(after);
  if (missed === undefined) {
    tooOld(running, after);
    return undefined;
  }
  const { gained } = running.request.permitted ?? {};
  if (gained === undefined) for (const change of missed) queueChange(running, change);
  else queueGained(running, missed, namespacesOf(gained));
  join(running);
  return undefined;
}

/** What a client that has seen other namespaces up to now missed there, and everything of those that it may see from now on. */
function queueGained(running: Running, missed: readonly Change<CachedObject>[], gained: Namespaces): void {
  const { deps, readable, selector, request } = running;
  for (const change of missed) if (!gained.has(namespaceOf(change.key))) queueChange(running, change);
  const { collection, unreadable } = deps.mirror.shelf(readable.kind.storage.prefix);
  const scope = withinSeen(selector.scope, gained);
  unreadable.refuse(scope);
  for (const item of collection.select({ ...selectionOf(selector), scope }).items) {
    queue(running, item.size, (rendition) => rendition.event("ADDED", item, item.revision));
  }
  const revision = deps.mirror.gate.revision;
  if (request.allowBookmarks) queue(running, 0, (rendition) => rendition.bookmark(revision, permittedChanged));
}

function tooOld(running: Running, after: number): void {
  running.outlet.error(expired(`too old resource version: ${after} (${historyOf(running).floor})`));
}

function historyOf({ deps, readable }: Running): History<CachedObject> {
  return deps.mirror.shelf(readable.kind.storage.prefix).collection.history;
}

function shownOf(selector: Selector, change: Change<CachedObject>): ChangeEvent | undefined {
  if (!inScope(selector.scope, change.key)) return undefined;
  const event = eventFor(change, selector.matches ?? everything);
  return event === undefined ? undefined : { ...event, revision: change.revision };
}

function queueChange(running: Running, change: Change<CachedObject>): void {
  const event = shownOf(running.selector, change);
  if (event === undefined) return;
  const { type, item } = event;
  queue(running, item.size, (rendition) => rendition.event(type, item, change.revision));
}

function join(running: Running): void {
  const leave = joinFeed(running);
  running.outlet.onClose(() => leave());
  // Behind what is queued: from here on whoever asked knows where it is.
  if (running.request.permitted !== undefined) {
    running.outlet.send({ body: nothing, revision: running.deps.mirror.gate.revision });
  }
  running.outlet.goLive();
}

function interestOf({ scope, matches, exact }: Selector): Pick<Interest<CachedObject>, "scope" | "matches" | "exact"> {
  return { scope, matches: matches ?? everything, ...(exact === undefined ? {} : { exact }) };
}

/** Delivers what changes from now on; gives how to leave. */
function joinFeed(running: Running): () => void {
  const { deps, readable, next, selector, outlet } = running;
  const { feeds } = deps.mirror.shelf(readable.kind.storage.prefix);
  const interest: Interest<CachedObject> = {
    ...interestOf(selector),
    id: `${next.id}|${selector.id}`,
    encode: next.liveEvent,
  };
  const isLast = next.following === next;
  const watcher: Watcher = {
    deliver(batch) {
      outlet.send(running.request.permitted === undefined ? deps.chunkOf(batch) : deps.placedChunkOf(batch));
      running.sent?.(batch.events, batch.frames.length);
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
