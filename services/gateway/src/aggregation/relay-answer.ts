import { Duplex, type Readable } from "node:stream";
import type { BodyStream, HeaderList, HttpResponse } from "../http/response.js";
import { passedAnswer, passedUpgrade } from "./passed-headers.js";
import type { Incoming, IncomingBody } from "./upstream.js";

type Answer = Extract<Incoming, { type: "answer" }>;
type Upgrade = Extract<Incoming, { type: "upgrade" }>;

export interface RelayAnswerOptions {
  /** Ends it in the middle. */
  readonly signal: AbortSignal;
  readonly hideRedirects: boolean;
}

/**
 * Passes an answer on as it comes, holding its server back while the client is behind. Settles when it is over; what broke
 * off is cut, so that it does not look whole.
 */
export function relayAnswer(
  response: HttpResponse,
  { head, body }: Answer,
  { signal, hideRedirects }: RelayAnswerOptions,
): Promise<void> {
  const hidden = hideRedirects && head.code >= 300 && head.code <= 399;
  const headers = passedAnswer(head.raw, hidden ? (name) => name === "location" : undefined);
  const taken = response.takeOver();
  if (taken !== undefined) return plainly(taken.connection, [...taken.headers, ...headers], { head, body });
  const stream = begun(response, head.code, { headers, body });
  return new Promise((resolve) => {
    const over = (end: () => void): void => {
      signal.removeEventListener("abort", leave);
      end();
      body.destroy();
      resolve();
    };
    const leave = (): void => over(() => stream.cut());
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    body.on("data", (part: Buffer) => {
      if (stream.write(part)) return;
      body.pause();
      stream.onDrain(() => body.resume());
    });
    body.on("error", () => {});
    body.once("close", () => over(() => (body.complete ? stream.end() : stream.cut())));
  });
}

/** What a server answers may have no place in the client's protocol. @throws the error of that */
function begun(
  response: HttpResponse,
  code: number,
  { headers, body }: { readonly headers: HeaderList; readonly body: IncomingBody },
): BodyStream {
  try {
    return response.stream(code, headers);
  } catch (error) {
    body.on("error", () => {}).destroy();
    throw error;
  }
}

/** An answer to a client that asked to go on in another protocol, and does not: its connection ends with it. */
function plainly(
  connection: Duplex,
  headers: HeaderList,
  { head: { code, phrase }, body }: { readonly head: Answer["head"]; readonly body: IncomingBody },
): Promise<void> {
  connection.write(headText(`${code} ${phrase}`, [...headers, "Connection", "close"]), "latin1");
  return joined(body, connection);
}

/** How long both sides of a connection may take to end it. */
const farewellMs = 1_000;
/** How long one side may go on once the other has said all: it may be gone without anybody hearing of it. */
const halfOpenMs = 30_000;
/** How long a connection may be idle, as agents have it: behind one side that does not read, the other's end is not heard. */
const idleMs = 4 * 60 * 60_000;

/** Passes the other protocol through, byte by byte, in both directions. Settles when it is over. */
export function relayUpgrade(response: HttpResponse, upgrade: Upgrade, signal: AbortSignal): Promise<void> {
  const { head, connection: server, first } = upgrade;
  const taken = response.takeOver();
  if (taken === undefined) {
    // Nobody asked for it.
    server.destroy();
    response.send(502, ["Content-Type", "text/plain; charset=utf-8"], "the server changed the protocol unasked\n");
    return Promise.resolve();
  }
  const client = taken.connection;
  // A side that has said all it has to say may still listen.
  client.allowHalfOpen = true;
  server.allowHalfOpen = true;
  const headers = [...taken.headers, ...passedUpgrade(head.raw)];
  client.write(headText("101 Switching Protocols", headers), "latin1");
  if (first.length > 0) client.write(first);
  if (taken.head.length > 0) server.write(taken.head);
  let patience: NodeJS.Timeout | undefined;
  const endWithin = (ms: number): void => {
    clearTimeout(patience);
    patience = setTimeout(() => {
      client.destroy();
      server.destroy();
    }, ms);
  };
  const leave = (): void => {
    // What is under way is still sent, and both sides read an end instead of a broken connection.
    client.end();
    server.end();
    endWithin(farewellMs);
  };
  const idle = setTimeout(leave, idleMs);
  for (const side of [client, server]) {
    side.on("data", () => idle.refresh());
    side.once("end", () => endWithin(halfOpenMs));
  }
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  return Promise.all([joined(server, client), joined(client, server)]).then(() => {
    signal.removeEventListener("abort", leave);
    clearTimeout(patience);
    clearTimeout(idle);
  });
}

/** One direction, until either end closes. */
function joined(from: Readable, to: Duplex): Promise<void> {
  return new Promise((resolve) => {
    from.on("error", () => {});
    to.on("error", () => {});
    to.once("close", () => {
      if (!from.readableEnded) leaveSoon(from);
      resolve();
    });
    from.once("close", () => {
      if (!from.readableEnded) to.destroy();
    });
    from.pipe(to);
  });
}

/** Nobody hears it any more; what it is still to hear is sent. */
function leaveSoon(from: Readable): void {
  if (from instanceof Duplex && !from.writableFinished && !from.destroyed) from.end(() => void from.destroy());
  else from.destroy();
}

function headText(status: string, headers: HeaderList): string {
  const lines = headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1] ?? ""}\r\n`] : []));
  return `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`;
}
