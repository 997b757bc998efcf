import type { Serve } from "../../http/exchange.js";
import type { Asked, Connected } from "../../http/exchange.suite.js";
import { fakeExchange } from "../fake-exchange.js";

/** A client of {@link fakeExchange}. */
export function connectFake(serve: Serve): Connected {
  return {
    visit({ method, target, headers, body }: Asked) {
      const { request, response, answered, leave } = fakeExchange({
        method,
        target,
        headers: { host: "localhost", ...headers },
        body,
      });
      setImmediate(serve, { request, response });
      return {
        head: answered,
        read: async () => {
          const { body: bytes, whole = true } = await answered;
          return { bytes, whole };
        },
        leave,
      };
    },
    async close() {},
  };
}
