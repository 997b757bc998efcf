import { ApiError, badRequest } from "@orch/status/api-error.js";
import { type Payload, payloadOf } from "./codecs/codec.js";
import type { ServerStream } from "./link/server-stream.js";
import type { MessageCodec, ServerCall, Services } from "./rpc.js";

/** A handler from bytes to bytes: it decodes and encodes inside, where the types are known. */
export type Served =
  | { readonly kind: "unary"; run(request: Buffer, call: ServerCall): Payload | Promise<Payload> }
  | { readonly kind: "stream"; run(request: Buffer, stream: ServerStream): void };

export interface ServedMethods extends Services {
  get(name: string): Served | undefined;
}

export function createServedMethods(): ServedMethods {
  const served = new Map<string, Served>();
  const add = (name: string, one: Served): void => {
    if (served.has(name)) throw new Error(`${name} is registered twice`);
    served.set(name, one);
  };
  return {
    get: (name) => served.get(name),
    unary: (method, handler) => {
      add(method.name, {
        kind: "unary",
        run: (bytes, call) => {
          const result = handler(readRequest(method, bytes), call);
          if (result instanceof Promise) return result.then((value) => payloadOf(method.response, value));
          return payloadOf(method.response, result);
        },
      });
    },
    stream: (method, handler) => {
      add(method.name, {
        kind: "stream",
        run: (bytes, stream) => handler(readRequest(method, bytes), stream.sender(method.response)),
      });
    },
  };
}

function readRequest<Req>(method: { readonly name: string; readonly request: MessageCodec<Req> }, bytes: Buffer): Req {
  try {
    return method.request.decode(bytes);
  } catch (thrown) {
    if (thrown instanceof ApiError) throw thrown;
    throw badRequest(`the request of ${method.name} could not be read`, thrown);
  }
}
