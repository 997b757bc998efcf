import { isTrue } from "@orch/api/query-values.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { StreamObserver } from "./observed-stream.js";

/** A watch that has sent nothing for so long has sent its initial events, or has a client that is behind. */
const quietMs = 10;

/** Whether a watch begins with the state of its collection. */
export function hasInitialEvents(query: URLSearchParams | undefined): boolean {
  const version = query?.get("resourceVersion") ?? "";
  return version === "" || version === "0" || isTrue(query?.get("sendInitialEvents"));
}

export interface WatchStartOptions {
  readonly clock: Clock;
  readonly initialEvents: boolean;
  /** A start takes no longer than this, however busy its collection is. */
  readonly longestMs: number;
}

/** Says once when a watch has got over its start: accepted, and its initial events sent. */
export function watchStart(
  started: () => void,
  { clock, initialEvents, longestMs }: WatchStartOptions,
): StreamObserver {
  let began: number | undefined;
  let last = 0;
  let over = false;
  const finish = (): void => {
    if (over) return;
    over = true;
    started();
  };
  const look = (): void => {
    const now = clock.monotonic();
    if (over || now - last >= quietMs || now - (began ?? now) >= longestMs) finish();
    else clock.after(quietMs, look);
  };
  return {
    message() {
      if (over) return;
      last = clock.monotonic();
      if (began !== undefined) return;
      began = last;
      if (initialEvents) clock.after(quietMs, look);
      else finish();
    },
    end: finish,
  };
}
