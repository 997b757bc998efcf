import type { Chunk, Live } from "@orch/rpc/messages.js";
import type { Receiver, Subscription } from "@orch/rpc/rpc.js";
import type { ApiError } from "@orch/status/api-error.js";
import type { Exchange, HeaderList } from "./http/exchange.js";

export type OpenStream = (receiver: Receiver<Chunk>) => Subscription;

export interface RelayOptions {
  /** 200 where absent. */
  readonly code?: number;
  /** Of a response whose body begins so. */
  readonly headersOf: (first: Buffer) => HeaderList;
  /** A list that broke off must not look whole: its connection is cut. A watch may end anywhere. */
  readonly cutOnFailure: boolean;
  /** Told of events once their bytes were given to the client's socket. */
  readonly delivered?: (live: Live) => void;
  /** Where the relay registers how to end it, for a server that shuts down. */
  readonly enders?: Set<() => void>;
}

const nothing = Buffer.alloc(0);

/**
 * Passes a stream's bytes to the client as they come, holding the sender back while the client is behind.
 * Settles when it is over: with an error when nothing was answered yet.
 */
export function relay(exchange: Exchange, open: OpenStream, options: RelayOptions): Promise<ApiError | undefined> {
  const { code = 200 } = options;
  return new Promise((resolve) => {
    /** It was all in one chunk and is sent. */
    let whole = false;
    const begin = (body: Buffer, length: number | undefined): void => {
      const headers = options.headersOf(body);
      whole = length === body.length;
      if (whole) exchange.send(code, headers, body);
      else exchange.begin(code, length === undefined ? headers : [...headers, "Content-Length", String(length)]);
    };
    const subscription = open({
      message({ body, live, length, release }) {
        if (exchange.closed) return;
        if (!exchange.begun) begin(body, length);
        if (body.length > 0 && !whole && !exchange.write(body, release)) {
          subscription.pause();
          exchange.onDrain(() => subscription.resume());
        }
        if (live !== undefined) options.delivered?.(live);
      },
      end(error) {
        if (whole || (error !== undefined && !exchange.begun)) {
          resolve(whole ? undefined : error);
          return;
        }
        if (!exchange.begun) exchange.begin(code, options.headersOf(nothing));
        if (error !== undefined && options.cutOnFailure) exchange.cut();
        else exchange.end();
        resolve(undefined);
      },
    });
    const end = (): void => {
      subscription.cancel();
      exchange.end();
    };
    options.enders?.add(end);
    exchange.onClose(() => {
      options.enders?.delete(end);
      subscription.cancel();
      resolve(undefined);
    });
  });
}

/** A body that is there already, as a stream of one chunk. */
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
