import type { StreamBody } from "@orch/client/http/transport.js";
import {
  type BodyStream,
  bothOf,
  byteLength,
  type HeaderList,
  type HttpResponse,
  noHeaders,
  nowhere,
  withCommonHeaders,
} from "../response.js";
import { createLocalBody, type LocalBody } from "./body.js";

/** What the client has of an answer when it begins. */
export interface LocalAnswer {
  readonly code: number;
  readonly headers: HeaderList;
  /** Whole, or as it comes. */
  readonly body: Buffer | StreamBody;
}

/** An answer that stays within the process. */
export class LocalResponse implements HttpResponse {
  readonly #id: string;
  readonly #answered: (answer: LocalAnswer) => void;
  readonly #gone: (why: unknown) => void;
  readonly #closers: (() => void)[] = [];
  #added: HeaderList = noHeaders;
  #body: LocalBody | undefined;
  closed = false;
  code = 0;
  sent = 0;
  waitedMs = 0;

  /** `gone` runs where nothing was answered before the client left. */
  constructor(
    id: string,
    on: { readonly answered: (answer: LocalAnswer) => void; readonly gone: (why: unknown) => void },
  ) {
    this.#id = id;
    this.#answered = on.answered;
    this.#gone = on.gone;
  }

  addHeaders(headers: HeaderList): void {
    this.#added = bothOf(this.#added, headers);
  }

  send(code: number, headers: HeaderList, body: Buffer | string): void {
    if (this.code !== 0 || this.closed) return;
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    this.sent = bytes.length;
    this.#begin(code, [...headers, "Content-Length", String(byteLength(bytes))], bytes);
    this.#close();
  }

  stream(code: number, headers: HeaderList): BodyStream {
    if (this.code !== 0 || this.closed) return nowhere;
    const close = (): void => this.#close();
    const made = createLocalBody({ ended: close, left: close });
    const { stream, body } = made;
    this.#body = made;
    this.#begin(code, headers, body);
    return {
      ...stream,
      write: (part, written) => {
        this.sent += part.length;
        return stream.write(part, written);
      },
    };
  }

  takeOver(): undefined {
    return undefined;
  }

  onClose(run: () => void): void {
    if (this.closed) run();
    else this.#closers.push(run);
  }

  /** The client goes away; whoever waits for the answer, or reads it, is told why. */
  leave(why: unknown): void {
    if (this.closed) return;
    if (this.code === 0) this.#gone(why);
    this.#body?.lose(why);
    this.#close();
  }

  #begin(code: number, headers: HeaderList, body: LocalAnswer["body"]): void {
    this.code = code;
    this.#answered({ code, headers: withCommonHeaders(this.#id, this.#added, headers), body });
  }

  #close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const run of this.#closers) run();
  }
}
