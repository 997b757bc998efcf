import type { ClientCertificate, Credentials, HeaderMap } from "@orch/auth/authenticator.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Span } from "@orch/status/span.js";
import { actsFromOtherSite } from "../http/other-site.js";
import type { HttpRequest } from "../http/request.js";

/** What a request shows of its sender. */
export class RequestCredentials implements Credentials {
  readonly authorization: string | undefined;
  readonly span: Span | undefined;
  readonly #request: HttpRequest;

  constructor(request: HttpRequest, span: Span | undefined) {
    this.span = span;
    this.authorization = request.header("authorization");
    this.#request = request;
  }

  /** None of a page of another origin: with any token beside it, wrong ones too, it would count. */
  get certificate(): ClientCertificate | undefined {
    const { certificate } = this.#request.peer;
    return certificate === undefined || actsFromOtherSite(this.#request) ? undefined : certificate;
  }

  get local(): UserInfo | undefined {
    return this.#request.peer.user;
  }

  /** Only the authenticator of front proxies reads these: for most requests they are never built. */
  get headers(): HeaderMap {
    return this.#request.distinctHeaders();
  }
}
