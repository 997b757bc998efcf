import type { UserInfo } from "@orch/auth/user.js";
import { bytesOf } from "@orch/client/client.js";
import type { Transport, TransportAnswer, TransportRequest } from "@orch/client/http/transport.js";
import type { Staging } from "../../staging.js";
import type { Serve } from "../exchange.js";
import type { Peer } from "../peer.js";
import type { HeaderList } from "../response.js";
import { LocalRequest } from "./request.js";
import { type LocalAnswer, LocalResponse } from "./response.js";

export interface LocalTransportDeps {
  readonly serve: Serve;
  readonly newId: () => string;
  /** Where the client's writes are stored together with others. */
  readonly staging?: Staging | undefined;
}

/** As audit events name where a client of this process is. */
const address = "127.0.0.1";

/**
 * Takes a client's requests to the stages that those from the network pass, without a connection between. The client is `user`,
 * because whoever put the process together says so: no header makes it somebody else, unless it may impersonate.
 */
export function createLocalTransport({ serve, newId, staging }: LocalTransportDeps, user: UserInfo): Transport {
  const peer: Peer = { address, certificate: undefined, user, staging };
  const open = new Set<LocalResponse>();

  const answerTo = (asked: TransportRequest): Promise<LocalAnswer> =>
    new Promise((resolve, reject) => {
      const { signal } = asked;
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const id = newId();
      const response = new LocalResponse(id, { answered: resolve, gone: reject });
      const leave = (): void => response.leave(signal?.reason);
      open.add(response);
      response.onClose(() => {
        open.delete(response);
        signal?.removeEventListener("abort", leave);
      });
      signal?.addEventListener("abort", leave);
      // Each begins in a later turn: clients that are answered from memory must not keep the event loop to themselves.
      setImmediate(() => {
        if (!response.closed) serve({ request: new LocalRequest(id, asked, peer), response });
      });
    });

  return {
    async send(request) {
      const { code, headers, body } = await answerTo(request);
      return { status: code, headers: recordOf(headers), body: Buffer.isBuffer(body) ? body : await bytesOf(body) };
    },
    async open(request) {
      const { code, body } = await answerTo(request);
      return { status: code, body: Buffer.isBuffer(body) ? onePart(body) : body };
    },
    async close() {
      for (const response of [...open]) response.leave(new Error("the transport is closed"));
    },
  };
}

function recordOf(list: HeaderList): TransportAnswer["headers"] {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < list.length; i += 2) {
    const name = (list[i] ?? "").toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? (list[i + 1] ?? "") : `${before}, ${list[i + 1]}`;
  }
  return headers;
}

function onePart(body: Buffer) {
  return {
    async *[Symbol.asyncIterator]() {
      yield body;
    },
    destroy() {},
  };
}
