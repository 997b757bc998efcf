import type { Chunk, Live } from "@orch/rpc/messages.js";
import type { Receiver, Subscription } from "@orch/rpc/rpc.js";
import type { ApiError } from "@orch/status/api-error.js";
import type { BodyStream, HeaderList, HttpResponse } from "./http/response.js";

export type OpenStream = (receiver: Receiver<Chunk>) => Subscription;

export interface RelayOptions {
  /** 200 where absent. */
  readonly code?: number;
  /** Of a response whose body begins so. */
  readonly headersOf: (first: Buffer) => HeaderList;
  /** A list that broke off must not look whole: its connection is cut. A watch may end anywhere. */
  readonly cutOnFailure: boolean;
  /** Called with events after their bytes were given to the client's socket. */
  readonly delivered?: (live: Live) => void;
  /** The relay registers here how to end it, for a server that shuts down. */
  readonly enders?: Set<() => void>;
}

const nothing = Buffer.alloc(0);

/**
 * Passes a stream's bytes to the client as they come, holding the sender back while the client is behind.
 * Settles when it is over: with an error when nothing was answered yet.
 */
export function relay(response: HttpResponse, open: OpenStream, options: RelayOptions): Promise<ApiError | undefined> {
  const { code = 200 } = options;
  return new Promise((resolve) => {
    /** Of an answer that has begun and is not all in its first chunk. */
    let stream: BodyStream | undefined;
    const begin = (first: Buffer, length: number | undefined): BodyStream => {
      const headers = options.headersOf(first);
      stream = response.stream(code, length === undefined ? headers : [...headers, "Content-Length", String(length)]);
      return stream;
    };
    const subscription = open({
      message({ body, live, length, release }) {
        if (response.closed) return;
        if (stream === undefined && body.length === length) {
          response.send(code, options.headersOf(body), body);
          return;
        }
        const to = stream ?? begin(body, length);
        if (body.length > 0 && !to.write(body, release)) {
          subscription.pause();
          to.onDrain(() => subscription.resume());
        }
        if (live !== undefined) options.delivered?.(live);
      },
      end(error) {
        if (stream === undefined && response.code !== 0) resolve(undefined);
        else if (stream === undefined && error !== undefined) resolve(error);
        else {
          const to = stream ?? begin(nothing, undefined);
          if (error !== undefined && options.cutOnFailure) to.cut();
          else to.end();
          resolve(undefined);
        }
      },
    });
    const end = (): void => {
      subscription.cancel();
      (stream ?? begin(nothing, undefined)).end();
    };
    options.enders?.add(end);
    response.onClose(() => {
      options.enders?.delete(end);
      subscription.cancel();
      resolve(undefined);
    });
  });
}

/** A finished body as a stream of one chunk. */
export function ofBody(body: Buffer): OpenStream {
  return (receiver) => {
    let cancelled = false;
    setImmediate(() => {
      if (cancelled) return;
      receiver.message({ body, length: body.length });
      receiver.end();
    });
    const cancel = (): void => {
      cancelled = true;
    };
    return { cancel, pause() {}, resume() {} };
  };
}
