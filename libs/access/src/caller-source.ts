import type { AnyObject } from "@orch/api/object.js";
import type { Collection, Follower, Following, ObjectSource } from "@orch/auth/object-source.js";
import { createLineSplitter } from "@orch/client/lines.js";
import { watchCacheGet, watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import type { Caller, Subscription } from "@orch/rpc/rpc.js";
import type { Clock } from "@orch/runtime/clock.js";
import { ApiError } from "@orch/status/api-error.js";

export interface CallerSourceDeps {
  /** The watch caches that answer for a group. */
  readonly caches: (group: string) => Caller;
  readonly clock: Clock;
  readonly log: (what: string, error: unknown) => void;
}

interface ObjectList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly AnyObject[];
}

/** A line of a watch. */
interface WatchLine {
  readonly type: string;
  readonly object: AnyObject;
}

const retryMs = 250;
const getMs = 5_000;

/** Objects as the watch caches have them: lists and watches as any client would, gets of whatever is in memory. */
export function callerSource(deps: CallerSourceDeps): ObjectSource {
  return {
    async get(collection, name) {
      const request = { ...scope(collection), name, resourceVersion: "0", subresource: "", form: "" };
      try {
        const call = deps.caches(collection.group).call(watchCacheGet, request, { deadlineMs: getMs });
        const object: AnyObject = JSON.parse((await call).body.toString("utf8"));
        return object;
      } catch (error) {
        if (error instanceof ApiError && error.reason === "NotFound") return undefined;
        throw error;
      }
    },
    follow: (collection, follower) => follow(deps, collection, follower),
  };
}

/** Lists, then watches from there; a watch that ends goes on where it was, unless that is no longer known. */
function follow({ caches, clock, log }: CallerSourceDeps, collection: Collection, follower: Follower): Following {
  const caller = (): Caller => caches(collection.group);
  let close: (() => void) | undefined;
  let stopped = false;

  const later = (run: () => void): void => {
    if (!stopped) close = clock.after(retryMs, run);
  };
  const anew = (error: unknown): void => {
    if (!stopped) log(`following ${collection.resource} failed; trying again`, error);
    later(load);
  };
  const opening = (open: () => Subscription): void => {
    try {
      const stream = open();
      close = () => stream.cancel();
    } catch (error) {
      anew(error);
    }
  };
  const load = (): void => {
    const parts: Buffer[] = [];
    const request = { ...listed(collection), limit: 0, continueToken: "", gzip: false };
    opening(() =>
      caller().open(watchCacheList, request, {
        message: ({ body }) => void parts.push(Buffer.from(body)),
        end(error) {
          if (stopped || error !== undefined) return anew(error);
          const list: ObjectList = JSON.parse(Buffer.concat(parts).toString("utf8"));
          follower.replaced(list.items);
          watch(list.metadata.resourceVersion);
        },
      }),
    );
  };
  const watch = (from: string): void => {
    let last = from;
    let lost: unknown;
    const lines = createLineSplitter();
    const take = (line: Buffer): void => {
      const { type, object }: WatchLine = JSON.parse(line.toString("utf8"));
      if (type === "ERROR") {
        lost = object;
        return;
      }
      last = object.metadata.resourceVersion ?? last;
      if (type === "DELETED") follower.deleted(object);
      else if (type !== "BOOKMARK") follower.changed(object);
    };
    const request = { ...listed(collection), name: "", resourceVersion: from, allowBookmarks: true, timeoutMs: 0 };
    opening(() =>
      caller().open(watchCacheWatch, request, {
        message: ({ body }) => lines.push(body).forEach(take),
        end(error) {
          if (lost !== undefined || (error !== undefined && isOver(error))) return anew(error ?? lost);
          // A cache that went away: another has the same history.
          later(() => watch(last));
        },
      }),
    );
  };
  load();
  return {
    stop() {
      stopped = true;
      close?.();
    },
  };
}

/** Whether there is nothing to go on from; a peer that is away for a moment says nothing about that. */
function isOver(error: ApiError): boolean {
  return error.reason !== "ServiceUnavailable";
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
