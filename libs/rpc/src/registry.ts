import type { Services, StreamHandler, StreamMethod, UnaryHandler, UnaryMethod } from "./rpc.js";

/** Handlers by method name, for the transport that passes values. */
export interface Registry extends Services {
  unaryHandler<Req, Res>(method: UnaryMethod<Req, Res>): UnaryHandler<Req, Res> | undefined;
  streamHandler<Req, Res>(method: StreamMethod<Req, Res>): StreamHandler<Req, Res> | undefined;
}

/** A map whose value's type depends on its key: a method is only ever registered with a handler of its own types. */
interface HandlerMap {
  get<Req, Res>(method: UnaryMethod<Req, Res>): UnaryHandler<Req, Res> | undefined;
  get<Req, Res>(method: StreamMethod<Req, Res>): StreamHandler<Req, Res> | undefined;
  set<Req, Res>(method: UnaryMethod<Req, Res>, handler: UnaryHandler<Req, Res>): void;
  set<Req, Res>(method: StreamMethod<Req, Res>, handler: StreamHandler<Req, Res>): void;
  has(method: object): boolean;
}

export function createRegistry(): Registry {
  // The only place where the language cannot express that a method's identity carries its types.
  const handlers = new Map() as HandlerMap;
  const once = (method: { readonly name: string }): void => {
    if (handlers.has(method)) throw new Error(`${method.name} is registered twice`);
  };
  return {
    unary: (method, handler) => {
      once(method);
      handlers.set(method, handler);
    },
    stream: (method, handler) => {
      once(method);
      handlers.set(method, handler);
    },
    unaryHandler: (method) => handlers.get(method),
    streamHandler: (method) => handlers.get(method),
  };
}
