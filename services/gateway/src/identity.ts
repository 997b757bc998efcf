import type { TLSSocket } from "node:tls";
import type { Authenticator, ClientCertificate, Credentials, HeaderMap, Verdict } from "@orch/auth/authenticator.js";
import type { Authorizer, Decision } from "@orch/auth/authorizer.js";
import { type ChainLink, clientCertificate, createChains } from "@orch/auth/client-certificate.js";
import { forbiddenError } from "@orch/auth/forbidden.js";
import { impersonate, wantsImpersonation } from "@orch/auth/impersonation.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Naming } from "@orch/naming/naming.js";
import { ApiError, unauthorized } from "@orch/status/api-error.js";
import type { Call } from "./call.js";
import type { Exchange } from "./http/exchange.js";
import { attributesOf } from "./request-attributes.js";

export interface IdentityDeps {
  readonly naming: Naming;
  readonly authenticator: Authenticator;
  /** Who asks for a path without credentials; undefined where nobody may come without. */
  readonly anonymous: (path: string) => UserInfo | undefined;
  readonly authorizer: Authorizer;
  readonly failedLogins: FailedLogins;
  /** Told why credentials are refused, for the log: the client is not. */
  readonly refused?: (why: string) => void;
}

/** Counts wrong credentials by the address that they come from. */
export interface FailedLogins {
  /** Seconds until such an `Authorization` header is looked at; undefined where it is at once. */
  blocked(address: string, authorization: string): number | undefined;
  failed(address: string): void;
  /** The header was good: others behind the same address do not hold it up. */
  worked(authorization: string): void;
}

/** Who sends a request, whom it is to be taken for, and whether that one may. */
export interface Identity {
  /** @throws ApiError Unauthorized; TooManyRequests after too many wrong credentials */
  authenticate(exchange: Exchange): UserInfo | Promise<UserInfo>;
  /** Whom the request's headers ask to be taken for; the sender where they ask nothing. @throws ApiError Forbidden, BadRequest */
  impersonated(exchange: Exchange, sender: UserInfo): UserInfo | Promise<UserInfo>;
  /** @throws ApiError Forbidden */
  authorize(call: Call, user: UserInfo): void | Promise<void>;
}

export function createIdentity(deps: IdentityDeps): Identity {
  const { authenticator, anonymous, authorizer, failedLogins } = deps;
  // A connection's certificate is taken apart once: it cannot change.
  const certificates = new WeakMap<TLSSocket, { readonly certificate: ClientCertificate | undefined }>();

  const chains = createChains();
  const certificateOf = (socket: TLSSocket): ClientCertificate | undefined => {
    const known = certificates.get(socket);
    if (known !== undefined) return known.certificate;
    const certificate = peerCertificate(socket, chains);
    certificates.set(socket, { certificate });
    return certificate;
  };
  const userOf = (exchange: Exchange, verdict: Verdict): UserInfo => {
    if (verdict.outcome === "allow") {
      const authorization = exchange.header("authorization");
      if (authorization !== undefined) failedLogins.worked(authorization);
      return verdict.user;
    }
    if (verdict.outcome === "deny") {
      failedLogins.failed(exchange.socket.remoteAddress ?? "");
      deps.refused?.(verdict.why);
      throw unauthorized(verdict.why);
    }
    const user = anonymous(exchange.path);
    if (user === undefined) throw unauthorized();
    return user;
  };

  return {
    authenticate(exchange) {
      const credentials = new RequestCredentials(exchange, certificateOf(exchange.socket));
      const { authorization } = credentials;
      if (authorization !== undefined) {
        const seconds = failedLogins.blocked(exchange.socket.remoteAddress ?? "", authorization);
        if (seconds !== undefined) throw tooManyFailures(seconds);
      }
      const verdict = authenticator.authenticate(credentials);
      return verdict instanceof Promise ? verdict.then((v) => userOf(exchange, v)) : userOf(exchange, verdict);
    },
    impersonated(exchange, sender) {
      if (!wantsImpersonation(exchange.headers)) return sender;
      return impersonate(sender, exchange.distinctHeaders(), deps);
    },
    authorize(call, user) {
      const attributes = attributesOf(call, user);
      const decide = ({ outcome, reason }: Decision): void => {
        if (outcome !== "allow") throw forbiddenError(attributes, reason);
      };
      const decision = authorizer.authorize(attributes);
      return decision instanceof Promise ? decision.then(decide) : decide(decision);
    },
  };
}

class RequestCredentials implements Credentials {
  readonly authorization: string | undefined;
  readonly certificate: ClientCertificate | undefined;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, certificate: ClientCertificate | undefined) {
    this.authorization = exchange.header("authorization");
    this.certificate = certificate;
    this.#exchange = exchange;
  }

  /** Of interest behind a front proxy alone: most requests never ask. */
  get headers(): HeaderMap {
    return this.#exchange.distinctHeaders();
  }
}

function tooManyFailures(retryAfterSeconds: number): ApiError {
  return new ApiError("TooManyRequests", "Too many wrong credentials came from this address, please try again later.", {
    details: { retryAfterSeconds },
  });
}

/** The subject of a connection's certificate with the fingerprints of its chain; undefined where there is none. */
function peerCertificate(
  socket: TLSSocket,
  chains: (leaf: ChainLink) => readonly string[],
): ClientCertificate | undefined {
  const leaf = socket.getPeerCertificate(true);
  // Without one node gives an empty object.
  if (leaf.raw === undefined) return undefined;
  return clientCertificate(leaf.subject, {
    verified: socket.authorized,
    notAfter: Date.parse(leaf.valid_to),
    chain: socket.authorized ? chains(leaf) : [],
  });
}
