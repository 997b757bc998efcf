import { createInProcess } from "@orch/rpc/in-process.js";
import type { Chunk } from "@orch/rpc/messages.js";
import { watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import type { Caller, Sender } from "@orch/rpc/rpc.js";
import { type ApiError, unavailable } from "@orch/status/api-error.js";

/** A watch cache of one collection, in memory, that a test can hold back and interrupt. */
export interface WatchCache {
  readonly caller: Caller;
  put(name: string): void;
  remove(name: string): void;
  /** Open watches are told this, and end. */
  endWatches(error: ApiError): void;
  /** The next list fails. */
  failList(): void;
  /** Lists do not answer until the returned function is called. */
  holdLists(): () => void;
  readonly lists: number;
  readonly openWatches: number;
}

interface Change {
  readonly revision: number;
  readonly line: Buffer;
}

export function createWatchCache(): WatchCache {
  const { services, caller } = createInProcess();
  const objects = new Map<string, string>();
  const changes: Change[] = [];
  const watches = new Set<Sender<Chunk>>();
  let revision = 1;
  let failures = 0;
  let lists = 0;
  let held: Promise<void> = Promise.resolve();

  const note = (type: string, name: string): void => {
    revision += 1;
    const object = { metadata: { name, resourceVersion: String(revision) } };
    if (type === "DELETED") objects.delete(name);
    else objects.set(name, JSON.stringify(object));
    const line = Buffer.from(`${JSON.stringify({ type, object })}\n`);
    changes.push({ revision, line });
    for (const watch of openWatches()) watch.send({ body: line });
  };
  const openWatches = (): Sender<Chunk>[] => [...watches].filter((watch) => !watch.cancelled);

  services.stream(watchCacheList, (_request, sender) => {
    lists += 1;
    if (failures > 0) {
      failures -= 1;
      sender.end(unavailable("away"));
      return;
    }
    void held.then(() => {
      const items = [...objects.values()].join(",");
      sender.send({ body: Buffer.from(`{"metadata":{"resourceVersion":"${revision}"},"items":[${items}]}`) });
      sender.end();
    });
  });
  services.stream(watchCacheWatch, ({ resourceVersion }, sender) => {
    const missed = changes.filter((change) => change.revision > Number(resourceVersion)).map(({ line }) => line);
    sender.send({ body: Buffer.concat(missed) });
    watches.add(sender);
  });
  return {
    caller,
    put: (name) => note(objects.has(name) ? "MODIFIED" : "ADDED", name),
    remove: (name) => note("DELETED", name),
    endWatches(error) {
      for (const watch of openWatches()) {
        watch.send({ body: Buffer.from(`${JSON.stringify({ type: "ERROR", object: error.toStatus() })}\n`) });
        watch.end();
      }
      watches.clear();
    },
    failList() {
      failures += 1;
    },
    holdLists() {
      let free = (): void => {};
      held = new Promise((resolve) => {
        free = resolve;
      });
      return free;
    },
    get lists() {
      return lists;
    },
    get openWatches() {
      return openWatches().length;
    },
  };
}
