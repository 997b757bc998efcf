import type { Identified } from "../call.js";
import { parsePath } from "../path.js";
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
}: FakeCall): Identified & { readonly exchange: FakeExchange } {
  const exchange = fakeExchange({ target });
  const { request, response } = exchange;
  const known = { name: user, uid: "", groups, extra: {} };
  return {
    exchange,
    request,
    response,
    route: parsePath(request.path),
    verb,
    trace: undefined,
    sender: known,
    user: known,
  };
}
