import type { HttpRequest } from "./request.js";
import type { HttpResponse } from "./response.js";

/** A request and where its answer goes. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

export type Serve = (exchange: Exchange) => void;
