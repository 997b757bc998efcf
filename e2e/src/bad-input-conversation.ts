import { once } from "node:events";
import type { TestContext } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import type { Server } from "./command-line-program.js";

/** A raw TLS connection to a server: what is sent is not made better by any client. */
export interface Conversation {
  readonly socket: TLSSocket;
  /** Everything that has come, bytes as characters. */
  received(): string;
  /** Settles once it has come; rejects when the connection ends before. */
  until(pattern: RegExp): Promise<string>;
  /** Settles with everything received once the server has ended or reset the connection. */
  readonly ended: Promise<string>;
}

export async function converse(t: TestContext, server: Pick<Server, "port" | "ca">): Promise<Conversation> {
  const socket = connect({ host: "127.0.0.1", port: server.port, ca: server.ca });
  t.after(() => socket.destroy());
  let received = "";
  let over = false;
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
    changed();
  });
  await once(socket, "secureConnect");
  const ended = new Promise<string>((resolve) => {
    const end = (): void => {
      over = true;
      changed();
      resolve(received);
    };
    socket.on("end", end).on("close", end);
    // A reset is an end like any other.
    socket.on("error", end);
  });
  return {
    socket,
    received: () => received,
    ended,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.test(received);
          if (!found && !over) return;
          listeners.delete(look);
          if (found) resolve(received);
          else reject(new Error(`the connection ended: ${JSON.stringify(received.slice(0, 500))}`));
        };
        listeners.add(look);
        look();
      }),
  };
}

export interface Head {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly string[];
}

/** The head of a request with the administrator's token, closing line and all. */
export function head(server: Pick<Server, "token">, { method = "GET", path = "/", headers = [] }: Head = {}): string {
  const lines = [`${method} ${path} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${server.token}`, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** The status codes of the answers in a stream of bytes. */
export function codesOf(received: string): readonly number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) [^\r]*\r\n(?:[^\r]+\r\n)*\r\n/g)].map(([, code]) => Number(code));
}
