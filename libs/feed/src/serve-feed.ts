import type { FeedItem, FeedRange, FeedWatchRequest } from "@orch/rpc/feed/messages.js";
import { feedGet, feedOrigin, feedRange, feedRevision, feedWatch } from "@orch/rpc/feed/methods.js";
import type { Sender, Services } from "@orch/rpc/rpc.js";
import { ApiError, unavailable } from "@orch/status/api-error.js";
import { key, type Revision, revision } from "@orch/store/revision.js";
import { StoreSetBack } from "@orch/store/set-back.js";
import type { Proof, Range, Store, WatchItem } from "@orch/store/store.js";
import { isAsLeft } from "./left.js";
import { createChoices, type Shown } from "./shown.js";
import type { Tap } from "./tap.js";

export interface FeedDeps {
  /** With values as they are read; the feed does not write. */
  readonly store: Store;
  /** With which every key begins. */
  readonly storePrefix: string;
  /** Prefixes of keys that are in other stores. */
  readonly elsewhere: readonly string[];
  readonly tap: Tap;
  /** The newest revision, linearizably, one question for all who ask at the same time. */
  readonly newest: () => Promise<Revision>;
}

/** Bytes of values of one answer: a page of large ones is told in several. */
const pageBytes = 16 * 1024 * 1024;
/** Bytes that wait for one follower: who is further behind comes back when it has caught up. */
const maxPendingBytes = 32 * 1024 * 1024;

/** Serves the read half of a store. */
export function serveFeed(services: Services, deps: FeedDeps): void {
  const { store, storePrefix, elsewhere, tap } = deps;
  services.unary(feedOrigin, () => ({ storePrefix, elsewhere }));
  services.unary(feedRevision, async () => ({ revision: await deps.newest() }));
  services.unary(feedGet, async ({ key: at }) => {
    const entry = await store.get(key(at));
    return { entries: entry === undefined ? [] : [entry], revision: 0, count: 0, damaged: [] };
  });
  services.unary(feedRange, async ({ prefix, from, limit, at, damaged, prove }) => {
    tap.expect();
    const range = await store.range({
      prefix: key(prefix),
      lent: true,
      ...(from === "" ? {} : { from: key(from) }),
      ...(limit === 0 ? {} : { limit }),
      ...(at === 0 ? {} : { at: revision(at) }),
      ...(damaged ? { damaged: "told" as const } : {}),
      ...(prove ? { prove: "newest" as const } : {}),
    });
    return cutOff(range);
  });
  const shownBy = createChoices();
  services.stream(feedWatch, (request, sender) => {
    serveWatch({ ...deps, shown: shownBy(request.shows) }, request, sender).catch((error: unknown) =>
      sender.end(ApiError.from(error)),
    );
  });
}

/** As many entries as one answer holds; whoever asked goes on behind the last. */
function cutOff({ entries, revision: at, count, damaged = [], proof }: Range): FeedRange {
  const shown = { revision: at, count };
  let bytes = 0;
  const end = entries.findIndex(({ value }, i) => {
    bytes += value.length;
    return i > 0 && bytes > pageBytes;
  });
  if (end < 0) return { ...shown, entries, damaged, proof };
  const some = entries.slice(0, end);
  const last = some.at(-1)?.key ?? "";
  const before = damaged.filter((damage) => Buffer.compare(Buffer.from(damage.key), Buffer.from(last)) < 0);
  // The proof may be of an entry that is not told now; without one nothing is proven.
  return { ...shown, entries: some, damaged: before };
}

interface Serving extends FeedDeps {
  readonly shown: Shown;
}

async function serveWatch(deps: Serving, request: FeedWatchRequest, sender: Sender<FeedItem>): Promise<void> {
  const { store, storePrefix, tap, shown } = deps;
  const { prefix, from, last, known } = request;
  tap.expect();
  if (last !== undefined && !(await isAsLeft(store, revision(from - 1), last))) {
    sender.send({ type: "setBack", why: `the store was set back: its revision ${from - 1} is no longer what it was` });
    sender.end();
    return;
  }
  if (sender.cancelled) return;
  const join = (next: number): boolean => prefix === storePrefix && follow({ tap, shown }, next, sender);
  if (join(from)) return;
  const proof = known === undefined ? {} : { known: proofOf(known) };
  await pass(store, { prefix, from, proof, join, shown }, sender);
}

/** From the tap; false where it does not reach back so far. */
function follow({ tap, shown }: Pick<Serving, "tap" | "shown">, from: number, sender: Sender<FeedItem>): boolean {
  let leave: (() => void) | undefined;
  let ended = false;
  const end = (error?: ApiError): void => {
    if (ended) return;
    ended = true;
    leave?.();
    sender.end(error);
  };
  leave = tap.join(from, {
    item(item) {
      if (ended || sendAll(shown(item), sender) || sender.pendingBytes <= maxPendingBytes) return;
      end(unavailable("the follower of a feed is too far behind"));
    },
    end,
  });
  if (leave === undefined) return false;
  if (ended) leave();
  sender.onCancel(() => {
    ended = true;
    leave?.();
  });
  return true;
}

/** False where the follower is behind. */
function sendAll(items: readonly FeedItem[], sender: Sender<FeedItem>): boolean {
  let keepsUp = true;
  for (const item of items) keepsUp = sender.send(item);
  return keepsUp;
}

interface Passed {
  readonly shown: Shown;
  readonly prefix: string;
  readonly from: number;
  readonly proof: { readonly known?: Proof };
  /** Whether the rest comes from elsewhere, from a revision on. */
  readonly join: (next: number) => boolean;
}

/** Straight from the store, held back while the follower is behind, until the tap has all that is missing. */
async function pass(
  store: Store,
  { prefix, from, proof, join, shown }: Passed,
  sender: Sender<FeedItem>,
): Promise<void> {
  const over = new AbortController();
  let resume: (() => void) | undefined;
  sender.onCancel(() => {
    over.abort();
    resume?.();
  });
  sender.onDrain(() => resume?.());
  try {
    for await (const item of store.watch({
      prefix: key(prefix),
      from: revision(from),
      signal: over.signal,
      ...proof,
    })) {
      if (!sendAll(shown(item), sender) && !over.signal.aborted) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      if (!over.signal.aborted && join(nextAfter(item))) return;
    }
  } catch (error) {
    if (!(error instanceof StoreSetBack)) throw error;
    sender.send({ type: "setBack", why: error.message });
  }
  if (!over.signal.aborted) sender.end();
}

function nextAfter(item: WatchItem): number {
  if (item.type === "progress") return item.revision + 1;
  const last = item.events.at(-1);
  if (last === undefined) return 0;
  return (last.type === "put" ? last.entry.revision : last.revision) + 1;
}

function proofOf({ key: at, revision: number, digest }: { key: string; revision: number; digest: string }): Proof {
  return { key: key(at), revision: revision(number), digest };
}
