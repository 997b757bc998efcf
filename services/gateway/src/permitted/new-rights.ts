import type { Permitted } from "@orch/rpc/messages.js";
import type { Subscription } from "@orch/rpc/rpc.js";
import { ApiError, unavailable } from "@orch/status/api-error.js";
import type { PermittedRead } from "../call.js";
import type { OpenStream } from "../relay.js";
import type { PermittedNamespaces } from "./permitted-namespaces.js";

/** A list of what a user may see. */
export interface RightsList {
  readonly first: PermittedRead;
  readonly namespaces: PermittedNamespaces;
  readonly open: (permitted: Permitted) => OpenStream;
}

/** Rights follow the store some milliseconds behind; each wait is longer than the one before. */
const waitsMs = [5, 10, 20, 40, 80, 160, 320, 640];

/**
 * A list whose cache refuses it while the rights are older than what it shows: it is asked again once they have come. Nothing of
 * an answer has been passed on then.
 */
export function withNewRights({ first, namespaces, open }: RightsList): OpenStream {
  return (receiver) => {
    let over = false;
    let paused = false;
    let stream: Subscription | undefined;
    const start = (permitted: Permitted, attempt: number): void => {
      const opened = open(permitted)({
        message: (chunk) => receiver.message(chunk),
        end(error) {
          if (error?.reason !== "Conflict") receiver.end(error);
          else again(attempt).catch((failure: unknown) => receiver.end(ApiError.from(failure)));
        },
      });
      stream = opened;
      if (paused) opened.pause();
    };
    const again = async (attempt: number): Promise<void> => {
      const waitMs = waitsMs[attempt];
      if (waitMs === undefined) throw unavailable("the rights to see this are older than what is to be shown");
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      const permitted = await namespaces.now(first.attributes);
      if (!over) start(permitted, attempt + 1);
    };
    start(first, 0);
    return {
      pause() {
        paused = true;
        stream?.pause();
      },
      resume() {
        paused = false;
        stream?.resume();
      },
      cancel() {
        over = true;
        stream?.cancel();
      },
    };
  };
}
