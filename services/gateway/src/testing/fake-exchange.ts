import { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import type { Exchange, HeaderList } from "../http/exchange.js";

export interface FakeRequest {
  readonly method?: string;
  /** Path and query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** What a client would have got. */
export interface Answered {
  readonly code: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** The values of a header, in order. */
  header(name: string): readonly string[];
}

export interface FakeExchange extends Exchange {
  /** Settles once the response ended. */
  readonly answered: Promise<Answered>;
}

/** A connection whose client showed no certificate. */
const socket = new TLSSocket(new Duplex({ read() {}, write() {} }));

/** An exchange without a network: the client is never behind and stays until it has its answer. */
export function fakeExchange({ method = "GET", target, headers = {}, body = "" }: FakeRequest): FakeExchange {
  const [path = "", query] = target.split("?");
  const parts: Buffer[] = [];
  const closers: (() => void)[] = [];
  let answer: { readonly code: number; readonly headers: HeaderList } | undefined;
  let ended = false;
  let settle: (answered: Answered) => void = () => {};
  const answered = new Promise<Answered>((resolve) => {
    settle = resolve;
  });
  const begin = (code: number, list: HeaderList): void => {
    answer ??= { code, headers: list };
  };
  const end = (): void => {
    if (ended || answer === undefined) return;
    ended = true;
    settle({ ...answer, body: Buffer.concat(parts), header: (name) => valuesOf(answer?.headers ?? [], name) });
    for (const run of closers) run();
  };
  return {
    id: "fake",
    method,
    path,
    query: query === undefined ? undefined : new URLSearchParams(query),
    also: [],
    headers,
    header: (name) => headers[name],
    distinctHeaders: () => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    socket,
    body: async () => (typeof body === "string" ? Buffer.from(body) : body),
    send(code, list, whole) {
      begin(code, list);
      parts.push(Buffer.from(whole));
      end();
    },
    begin,
    write(part) {
      parts.push(Buffer.from(part));
      return true;
    },
    end,
    cut: end,
    onDrain: (run) => run(),
    onClose: (run) => void closers.push(run),
    get begun() {
      return answer !== undefined;
    },
    get closed() {
      return ended;
    },
    get code() {
      return answer?.code ?? 0;
    },
    answered,
  };
}

function valuesOf(headers: HeaderList, name: string): readonly string[] {
  return headers.filter((_, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === name.toLowerCase());
}
