import { badRequest } from "@orch/status/api-error.js";
import type { Tracing } from "@orch/tracing/tracing.js";
import type { Received } from "../call.js";
import type { Exchange } from "../http/exchange.js";
import { beginTrace } from "../metrics/request-trace.js";
import { parsePath } from "../path.js";
import { verbOf } from "../verbs.js";

/** What the request line says. */
export function received(exchange: Exchange, tracing?: Tracing | undefined): Received {
  const { request, response } = exchange;
  const route = parsePath(request.path);
  const verb = route.type === "resource" ? verbOf(request.method, route, request.query) : request.method.toLowerCase();
  const trace = tracing === undefined ? undefined : beginTrace(tracing, { request, route, verb });
  return { request, response: trace?.watched(response) ?? response, route, verb, trace };
}

/** No registered method is longer. */
const longestMethod = 64;

/** HTTP/2 allows any word as a method, and rules and authorizers are asked about it: an overlong one is refused. */
export function boundMethod(call: Received): Received {
  if (call.request.method.length > longestMethod) throw badRequest(`a method has at most ${longestMethod} characters`);
  return call;
}
