import type { AnyObject } from "@orch/api/object.js";
import type { Collection, Follower, ObjectSource } from "@orch/auth/object-source.js";
import { createLineSplitter } from "@orch/client/lines.js";
import type { Chunk } from "@orch/rpc/messages.js";
import { watchCacheGet, watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import type { Caller, CallOptions, Receiver, Subscription } from "@orch/rpc/rpc.js";
import { type Clock, sleep } from "@orch/runtime/clock.js";
import { ApiError, type Status } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";
import { createRounds } from "@orch/store/rounds.js";

export interface CallerSourceDeps {
  /** The watch caches that answer for a group. */
  readonly caches: (group: string) => Caller;
  readonly clock: Clock;
  readonly log: (what: string, error: unknown) => void;
}

interface ObjectList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items?: readonly AnyObject[];
}

/** A line of a watch. */
type WatchLine =
  | { readonly type: "ERROR"; readonly object: Status }
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; readonly object: AnyObject };

const retryMs = 250;
const getMs = 5_000;

/** Objects as the watch caches have them: lists and watches as any client would, gets of whatever is in memory. */
export function callerSource(deps: CallerSourceDeps): ObjectSource {
  return {
    get: (collection, name) => getFrom(deps.caches(collection.group), collection, name),
    follow(collection, follower) {
      const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(deps.clock, ms, signal);
      const abort = new AbortController();
      const rounds = createRounds({
        round: (over) => round(deps, { collection, follower, over }),
        subject: collection.resource,
        ...{ log: deps.log, retryMs, pause },
      });
      void rounds.run(abort.signal);
      return { stop: () => abort.abort() };
    },
  };
}

/** Whatever is in memory; undefined where there is no such object. @throws ApiError */
export async function getFrom(caller: Caller, collection: Collection, name: string): Promise<AnyObject | undefined> {
  const request = { ...scope(collection), name, resourceVersion: "0", subresource: "", form: "" };
  try {
    const { body } = await caller.call(watchCacheGet, request, { deadlineMs: getMs });
    const object: AnyObject = readJson(body.toString("utf8"));
    return object;
  } catch (error) {
    if (error instanceof ApiError && error.reason === "NotFound") return undefined;
    throw error;
  }
}

/** What a watch cache has in memory of those that a selector means. @throws ApiError */
export async function listFrom(
  caller: Caller,
  { labelSelector, ...collection }: Collection & { readonly labelSelector: string },
  options: CallOptions,
): Promise<readonly AnyObject[]> {
  const request = { ...listed(collection), labelSelector, resourceVersion: "0" };
  const { items = [] } = await loaded(caller, request, options);
  return items;
}

interface Order {
  readonly collection: Collection;
  readonly follower: Follower;
  readonly over: AbortSignal;
}

/** Lists, then watches from there; a watch that ends goes on where it was, unless that is no longer known. */
async function round(deps: CallerSourceDeps, order: Order): Promise<void> {
  const { collection, follower, over } = order;
  const list = await load(deps.caches(collection.group), order);
  over.throwIfAborted();
  follower.replaced(list.items ?? [], Number(list.metadata.resourceVersion));
  for (let last = list.metadata.resourceVersion; ; await sleep(deps.clock, retryMs, over)) {
    over.throwIfAborted();
    last = await watch(deps.caches(collection.group), last, order);
  }
}

function load(caller: Caller, { collection, over }: Order): Promise<ObjectList> {
  return loaded(caller, listed(collection), { over });
}

async function loaded(
  caller: Caller,
  about: ReturnType<typeof listed>,
  { over = new AbortController().signal, ...options }: CallOptions & { readonly over?: AbortSignal },
): Promise<ObjectList> {
  const parts: Buffer[] = [];
  const request = { ...about, limit: 0, continueToken: "", gzip: false };
  await takeAll(
    (receiver) => caller.open(watchCacheList, request, receiver, options),
    (body) => void parts.push(Buffer.from(body)),
    over,
  );
  return readJson(Buffer.concat(parts).toString("utf8"));
}

/** Tells the changes after a version; gives the version to go on from. @throws ApiError where there is no going on */
async function watch(caller: Caller, from: string, { collection, follower, over }: Order): Promise<string> {
  let last = from;
  let lost: ApiError | undefined;
  const lines = createLineSplitter();
  const tell = (line: Buffer): void => {
    const { type, object }: WatchLine = readJson(line.toString("utf8"));
    if (type === "ERROR") {
      lost = ApiError.fromStatus(object);
      return;
    }
    last = object.metadata.resourceVersion ?? last;
    if (type === "DELETED") follower.deleted(object);
    else if (type !== "BOOKMARK") follower.changed(object);
  };
  const request = { ...listed(collection), name: "", resourceVersion: from, allowBookmarks: true, timeoutMs: 0 };
  try {
    await takeAll(
      (receiver) => caller.open(watchCacheWatch, request, receiver),
      (body) => {
        for (const line of lines.push(body)) if (!over.aborted) tell(line);
      },
      over,
    );
  } catch (error) {
    // A cache that went away: another has the same history.
    if (lost === undefined && !isAway(error)) throw error;
  }
  if (lost !== undefined) throw lost;
  return last;
}

/** A peer that is away for a moment says nothing about what can be gone on from. */
function isAway(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "ServiceUnavailable";
}

/** Until the stream ends; rejects as it does, with what `take` throws, or as soon as the signal aborts. */
function takeAll(
  open: (receiver: Receiver<Chunk>) => Subscription,
  take: (body: Buffer) => void,
  over: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let stream: Subscription | undefined;
    const settle = (error: unknown): void => {
      over.removeEventListener("abort", leave);
      if (error === undefined) resolve();
      else reject(error);
    };
    const cancel = (error: unknown): void => {
      stream?.cancel();
      settle(error);
    };
    const leave = (): void => cancel(over.reason);
    over.addEventListener("abort", leave);
    const receiver: Receiver<Chunk> = {
      message({ body }) {
        if (over.aborted) return;
        try {
          take(body);
        } catch (error) {
          cancel(error);
        }
      },
      end: settle,
    };
    stream = open(receiver);
  });
}

function scope({ group, version, resource, namespace = "" }: Collection) {
  return { group, version, resource, namespace };
}

function listed(collection: Collection) {
  return {
    ...scope(collection),
    labelSelector: "",
    fieldSelector: collection.fieldSelector ?? "",
    resourceVersion: "",
    resourceVersionMatch: "",
    form: "",
  };
}
