import type { TransportRequest } from "@orch/client/http/transport.js";
import type { Serve } from "../../http/exchange.js";
import type { Asked, Connected } from "../../http/exchange.suite.js";
import { LocalRequest } from "../../http/local/request.js";
import { type LocalAnswer, LocalResponse } from "../../http/local/response.js";
import { deferred } from "../deferred.js";

/** A client in the server's process. */
export function connectLocal(serve: Serve): Connected {
  return {
    visit({ method, target, headers, body }: Asked) {
      const { promise: answered, resolve, reject } = deferred<LocalAnswer>();
      answered.catch(() => {});
      const asked: TransportRequest = { method, target, headers, ...(body.length === 0 ? {} : { body }) };
      const response = new LocalResponse("local", {
        answered: resolve,
        gone: reject,
      });
      const peer = { address: "127.0.0.1", certificate: undefined };
      setImmediate(() => serve({ request: new LocalRequest("local", asked, peer), response }));
      return {
        head: answered.then(({ code, headers: list }) => ({
          code,
          header: (name) => list.filter((_, i) => i % 2 === 1 && list[i - 1]?.toLowerCase() === name.toLowerCase()),
        })),
        read: () => answered.then(({ body: answer }) => read(answer)),
        leave: () => response.leave(new Error("the client went away")),
      };
    },
    async close() {},
  };
}

async function read(body: LocalAnswer["body"]) {
  if (Buffer.isBuffer(body)) return { bytes: body, whole: true };
  const parts: Buffer[] = [];
  try {
    for await (const part of body) parts.push(Buffer.from(part));
    return { bytes: Buffer.concat(parts), whole: true };
  } catch {
    return { bytes: Buffer.concat(parts), whole: false };
  }
}
