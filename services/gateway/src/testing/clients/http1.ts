import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:https";
import type { Asked, Body, Head, Visit } from "../../http/exchange.suite.js";
import type { Origin } from "./server.js";

/** Asks over a connection of its own; `further` are headers that every request has. */
export function visitHttp1(origin: Origin, further: Readonly<Record<string, string>> = {}): (asked: Asked) => Visit {
  return ({ method, target: path, headers, body, missing = 0 }) => {
    const length = body.length + missing;
    const announced = length === 0 ? {} : { "content-length": String(length) };
    const outgoing = request({
      ...origin,
      method,
      path,
      headers: { ...headers, ...announced, ...further },
      agent: false,
    });
    if (missing === 0) outgoing.end(body);
    else outgoing.write(body);
    return visitOf(outgoing);
  };
}

/** What becomes of a request that was sent. */
export function visitOf(outgoing: ClientRequest): Visit {
  const incoming = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject);
  });
  return {
    head: incoming.then(headOf),
    read: async () => bodyOf(await incoming),
    leave: () => void outgoing.destroy(),
  };
}

export function headOf({ statusCode = 0, headersDistinct }: IncomingMessage): Head {
  return { code: statusCode, header: (name) => headersDistinct[name] ?? [] };
}

export async function bodyOf(message: IncomingMessage): Promise<Body> {
  const parts: Buffer[] = [];
  message.on("data", (part: Buffer) => void parts.push(part)).on("error", () => {});
  if (!message.closed) await new Promise((resolve) => message.once("close", resolve));
  return { bytes: Buffer.concat(parts), whole: message.complete };
}
