import type { Duplex } from "node:stream";
import type { AgentPod } from "./agent-pods.js";
import { serveSpdy } from "./spdy.js";

/** A connection to a port is a pair of streams: of its bytes, and of what went wrong. */
interface Forwarded {
  readonly port: string;
  /** Of the pair, by what the client calls it. */
  readonly request: string;
}

/** Answers whatever comes to a port as a server of HTTP would that has nothing to say. */
export function playPortForward(connection: Duplex, head: Buffer, { namespace, name }: AgentPod): void {
  const open = new Map<number, Forwarded>();
  const errors = new Map<string, number>();
  const spdy = serveSpdy(connection, head, {
    opened(stream, headers) {
      const forwarded = { port: headers.get("port") ?? "", request: headers.get("requestid") ?? "" };
      if (headers.get("streamtype") === "error") errors.set(forwarded.request, stream);
      else open.set(stream, forwarded);
    },
    data(stream) {
      const forwarded = open.get(stream);
      if (forwarded === undefined) return;
      open.delete(stream);
      const text = `simulated: nothing listens at port ${forwarded.port} of ${namespace}/${name}\n`;
      const fields = `Content-Type: text/plain\r\nContent-Length: ${text.length}\r\nConnection: close\r\n`;
      spdy.send(stream, `HTTP/1.1 200 OK\r\n${fields}\r\n${text}`, true);
      const error = errors.get(forwarded.request);
      if (error !== undefined) spdy.send(error, "", true);
      errors.delete(forwarded.request);
    },
  });
}
