import type { IncomingHttpHeaders } from "node:http";
import { createGatheredBytes } from "@orch/codec/gathered-bytes.js";
import type { Dispatcher } from "undici";

/** A question by POST, and how much may be waited for and read. */
export interface Post {
  /** Where it goes; of the address its path and query. */
  readonly dispatcher: Dispatcher;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  /** Milliseconds for all of it, a connection that must be opened first included. */
  readonly timeoutMs: number;
  /** Bytes of the body that are read of an answer with this status. */
  readonly mostBytes: (status: number) => number;
  /** Whether it is sent once more after this failure; asked once, before an answer has begun. */
  readonly again?: (error: unknown) => boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body went on. Its connection was ended. */
  readonly isCut: boolean;
}

/** There was no answer in time. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/**
 * Sends a question and reads the answer. The answer is taken as the connection gives it: the signal and the stream of undici's
 * `request` cost a question some 12 µs.
 * @throws DeadlineExceeded, or what undici and node say of a connection
 */
export function exchange({ dispatcher, url, headers, body, timeoutMs, mostBytes, again }: Post): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let end: (() => void) | undefined;
    let isSettled = false;
    let isRepeated = false;
    let status = 0;
    let answerHeaders: IncomingHttpHeaders = {};
    const gathered = createGatheredBytes();

    const timer = setTimeout(() => {
      fail(new DeadlineExceeded("there was no answer in time"));
      end?.();
    }, timeoutMs);
    const fail = (error: unknown): void => {
      isSettled = true;
      clearTimeout(timer);
      reject(error);
    };
    const succeed = (isCut: boolean): void => {
      isSettled = true;
      clearTimeout(timer);
      resolve({ status, headers: answerHeaders, body: gathered.bytes(), isCut });
    };

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        end = () => controller.abort(new Error("nobody waits for the answer any more"));
        if (isSettled) end();
      },
      onResponseStart(_controller, code, told) {
        // What comes before an answer (1xx) is overwritten by it.
        status = code;
        answerHeaders = told;
      },
      onResponseData(_controller, part) {
        if (isSettled) return;
        gathered.add(part);
        if (gathered.length <= mostBytes(status)) return;
        succeed(true);
        end?.();
      },
      onResponseEnd() {
        if (!isSettled) succeed(false);
      },
      onResponseError(_controller, error) {
        if (isSettled) return;
        if (status === 0 && !isRepeated && again?.(error) === true) {
          isRepeated = true;
          send();
        } else fail(error);
      },
    };
    const send = (): void => {
      const path = `${url.pathname}${url.search}`;
      dispatcher.dispatch(
        { origin: url.origin, path, method: "POST", headers, body, headersTimeout: 0, bodyTimeout: 0 },
        handler,
      );
    };
    send();
  });
}
