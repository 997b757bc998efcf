import type { BodyStream, HeaderList, HttpResponse, TakenOver } from "../http/response.js";

/** Who is told of an answer as it is given. */
export interface AnswerObserver {
  /** The answer begins. */
  began(code: number): void;
  /** Whether the bytes of the answer are of interest. */
  readonly wantsBody: boolean;
  /** The bytes of the answer, or the next of them. */
  body(part: Buffer | string, contentType: string): void;
}

/** A response that tells of what is answered. A class: there is one for every request that is audited. */
export class AuditedResponse implements HttpResponse {
  readonly #to: HttpResponse;
  readonly #observer: AnswerObserver;

  constructor(to: HttpResponse, observer: AnswerObserver) {
    this.#to = to;
    this.#observer = observer;
  }

  addHeaders(headers: HeaderList): void {
    this.#to.addHeaders(headers);
  }

  send(code: number, headers: HeaderList, body: Buffer | string): void {
    if (this.#to.code === 0) {
      this.#observer.began(code);
      if (this.#observer.wantsBody) this.#observer.body(body, contentTypeOf(headers));
    }
    this.#to.send(code, headers, body);
  }

  stream(code: number, headers: HeaderList): BodyStream {
    const stream = this.#to.stream(code, headers);
    this.#observer.began(code);
    return this.#observer.wantsBody ? observed(stream, this.#observer, contentTypeOf(headers)) : stream;
  }

  takeOver(): TakenOver | undefined {
    const taken = this.#to.takeOver();
    if (taken !== undefined) this.#observer.began(switchingProtocols);
    return taken;
  }

  onClose(run: () => void): void {
    this.#to.onClose(run);
  }

  get closed(): boolean {
    return this.#to.closed;
  }

  get code(): number {
    return this.#to.code;
  }

  get sent(): number {
    return this.#to.sent;
  }

  get waitedMs(): number {
    return this.#to.waitedMs;
  }

  set waitedMs(ms: number) {
    this.#to.waitedMs = ms;
  }
}

const switchingProtocols = 101;

function observed(stream: BodyStream, observer: AnswerObserver, contentType: string): BodyStream {
  return {
    write(part, written) {
      // Its memory is used again once it is written.
      observer.body(Buffer.from(part), contentType);
      return stream.write(part, written);
    },
    end: () => stream.end(),
    cut: () => stream.cut(),
    onDrain: (run) => stream.onDrain(run),
  };
}

function contentTypeOf(headers: HeaderList): string {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i] === "Content-Type") return headers[i + 1] ?? "";
  }
  return "";
}
