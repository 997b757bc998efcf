import type { Call } from "../call.js";
import { parsePath } from "../path.js";
import { plainJson } from "../representation.js";
import { type FakeExchange, fakeExchange } from "./fake-exchange.js";

export interface FakeCall {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly verb?: string;
  /** Path and query. */
  readonly target?: string;
}

/** A call whose user is known, of an exchange without a network. */
export function fakeCall({
  user = "ann",
  groups = [],
  verb = "get",
  target = "/api/v1/namespaces/a/pods/p",
}: FakeCall): Call & { readonly exchange: FakeExchange } {
  const exchange = fakeExchange({ target });
  const { request, response } = exchange;
  return {
    exchange,
    request,
    response,
    route: parsePath(request.path),
    representation: plainJson,
    verb,
    sender: undefined,
    user: { name: user, uid: "", groups, extra: {} },
    seats: undefined,
    kind: undefined,
    deprecation: undefined,
    auditAnnotations: new Map(),
  };
}
