import type { TLSSocket } from "node:tls";
import type { Authenticator, ClientCertificate, Credentials, Verdict } from "@orch/auth/authenticator.js";
import type { Attributes, Authorizer } from "@orch/auth/authorizer.js";
import { clientCertificate } from "@orch/auth/client-certificate.js";
import { forbiddenError } from "@orch/auth/forbidden.js";
import type { UserInfo } from "@orch/auth/user.js";
import { unauthorized } from "@orch/status/api-error.js";
import type { Call } from "./call.js";
import type { Exchange } from "./exchange.js";

export interface IdentityDeps {
  readonly authenticator: Authenticator;
  /** Whoever shows no credentials; undefined where nobody may come without. */
  readonly anonymous: UserInfo | undefined;
  readonly authorizer: Authorizer;
}

/** Who sends a request, and whether they may. */
export interface Identity {
  /** @throws ApiError Unauthorized */
  authenticate(exchange: Exchange): UserInfo | Promise<UserInfo>;
  /** @throws ApiError Forbidden */
  authorize(call: Call, user: UserInfo): void | Promise<void>;
}

export function createIdentity({ authenticator, anonymous, authorizer }: IdentityDeps): Identity {
  // A connection's certificate is taken apart once: it cannot change.
  const certificates = new WeakMap<TLSSocket, { readonly certificate: ClientCertificate | undefined }>();

  const certificateOf = (socket: TLSSocket): ClientCertificate | undefined => {
    const known = certificates.get(socket);
    if (known !== undefined) return known.certificate;
    const certificate = peerCertificate(socket);
    certificates.set(socket, { certificate });
    return certificate;
  };

  const userOf = (verdict: Verdict): UserInfo => {
    if (verdict.outcome === "allow") return verdict.user;
    if (verdict.outcome === "none" && anonymous !== undefined) return anonymous;
    throw unauthorized(verdict.outcome === "deny" ? verdict.why : undefined);
  };

  return {
    authenticate(exchange) {
      const verdict = authenticator.authenticate(credentialsOf(exchange, certificateOf(exchange.socket)));
      return verdict instanceof Promise ? verdict.then(userOf) : userOf(verdict);
    },
    authorize(call, user) {
      const attributes = attributesOf(call, user);
      const decide = ({ outcome, reason }: { outcome: string; reason: string }): void => {
        if (outcome !== "allow") throw forbiddenError(attributes, reason);
      };
      const decision = authorizer.authorize(attributes);
      return decision instanceof Promise ? decision.then(decide) : decide(decision);
    },
  };
}

function credentialsOf(exchange: Exchange, certificate: ClientCertificate | undefined): Credentials {
  return { authorization: exchange.header("authorization"), certificate, headers: exchange.headers };
}

/** The subject of a connection's certificate with the fingerprints of its chain; undefined where there is none. */
function peerCertificate(socket: TLSSocket): ClientCertificate | undefined {
  const leaf = socket.getPeerCertificate(true);
  const chain: string[] = [];
  for (
    let at = leaf;
    at?.fingerprint256 !== undefined && !chain.includes(at.fingerprint256);
    at = at.issuerCertificate
  ) {
    chain.push(at.fingerprint256);
  }
  return clientCertificate(leaf.subject, {
    verified: socket.authorized,
    notAfter: Date.parse(leaf.valid_to),
    chain,
  });
}

function attributesOf({ route, verb }: Call, user: UserInfo): Attributes {
  if (route.type !== "resource") return { kind: "path", user, verb, path: route.path };
  const { group, version, resource, subresource, namespace, name } = route;
  return { kind: "resource", user, verb, group, version, resource, subresource, namespace, name };
}
