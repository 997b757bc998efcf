import type { ClientCertificate, Credentials, HeaderMap } from "@orch/auth/authenticator.js";
import type { HttpRequest } from "./http/request.js";

/** What a request shows of its sender. */
export class RequestCredentials implements Credentials {
  readonly authorization: string | undefined;
  readonly #request: HttpRequest;

  constructor(request: HttpRequest) {
    this.authorization = request.header("authorization");
    this.#request = request;
  }

  get certificate(): ClientCertificate | undefined {
    return this.#request.peer.certificate;
  }

  /** Only the authenticator of front proxies reads these: for most requests they are never built. */
  get headers(): HeaderMap {
    return this.#request.distinctHeaders();
  }
}
