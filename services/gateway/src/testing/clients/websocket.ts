import type { IncomingMessage } from "node:http";
import type { ConnectionOptions } from "node:tls";
import { type RawData, WebSocket } from "ws";
import type { Asked, Visit } from "../../http/exchange.suite.js";
import { bodyOf, headOf } from "./http1.js";
import type { Origin } from "./server.js";

/** Asks to go on as a WebSocket: the body is what its messages hold, or that of a plain answer. */
export function visitWebSocket({ host, port, ca, servername }: Origin): (asked: Asked) => Visit {
  return ({ target, headers }) => {
    const tls: ConnectionOptions = { ca, servername };
    const socket = new WebSocket(`wss://${host}:${port}${target}`, {
      ...tls,
      finishRequest(request) {
        for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
        request.end();
      },
    });
    const parts: Buffer[] = [];
    socket.on("error", () => {});
    socket.on("message", (data: RawData) => void parts.push(Buffer.from([data].flat().map(String).join(""))));
    const over = new Promise<number>((resolve) => socket.once("close", resolve));
    const opened = new Promise<IncomingMessage>((resolve, reject) => {
      let handshake: IncomingMessage | undefined;
      socket.once("upgrade", (message) => {
        handshake = message;
      });
      socket.once("open", () => {
        socket.pause();
        if (handshake !== undefined) resolve(handshake);
      });
      socket.once("unexpected-response", (_request, message) => resolve(message));
      socket.once("close", () => reject(new Error("no answer")));
    });
    return {
      head: opened.then(headOf),
      async read() {
        const message = await opened;
        if (message.statusCode !== 101) return bodyOf(message);
        socket.resume();
        const code = await over;
        return { bytes: Buffer.concat(parts), whole: code === 1000 };
      },
      leave: () => socket.terminate(),
    };
  };
}
