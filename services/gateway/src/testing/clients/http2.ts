import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from "node:http2";
import type { Asked, Visit } from "../../http/exchange.suite.js";
import type { Origin } from "./server.js";

/** Asks over a connection of its own, which ends when the client goes away or the client is closed. */
export function visitHttp2({ host, port, ca, servername }: Origin): {
  readonly visit: (asked: Asked) => Visit;
  close(): void;
} {
  const sessions = new Set<ClientHttp2Session>();
  return {
    visit({ method, target: path, headers, body, missing = 0 }) {
      const session = connect(`https://${host}:${port}`, { ca, servername });
      sessions.add(session);
      session.on("error", () => {});
      const stream = session.request(
        { ...headers, ":method": method, ":path": path },
        { endStream: body.length + missing === 0 },
      );
      if (missing > 0) stream.write(body);
      else if (body.length > 0) stream.end(body);
      let ended = false;
      stream.once("end", () => {
        ended = true;
      });
      const response = new Promise<IncomingHttpHeaders & IncomingHttpStatusHeader>((resolve, reject) => {
        stream.once("response", resolve).once("close", () => reject(new Error("no answer")));
      });
      stream.on("error", () => {});
      return {
        head: response.then((of) => ({
          code: of[":status"] ?? 0,
          header: (name) => [of[name] ?? []].flat(),
        })),
        async read() {
          const parts: Buffer[] = [];
          stream.on("data", (part: Buffer) => void parts.push(part));
          if (!stream.closed) await new Promise((resolve) => stream.once("close", resolve));
          return { bytes: Buffer.concat(parts), whole: ended && stream.rstCode === 0 };
        },
        leave: () => session.destroy(),
      };
    },
    close() {
      for (const session of sessions) session.destroy();
    },
  };
}
