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
  readonly authorizer: Authorizer;
}

/** Who sends a request, and whether they may. */
export interface Identity {
  /** @throws ApiError Unauthorized */
  authenticate(exchange: Exchange): UserInfo | Promise<UserInfo>;
  /** @throws ApiError Forbidden */
  authorize(call: Call, user: UserInfo): void | Promise<void>;
}

export function createIdentity({ authenticator, authorizer }: IdentityDeps): Identity {
  // A connection's certificate is taken apart once: it cannot change.
  const certificates = new WeakMap<TLSSocket, { readonly certificate: ClientCertificate | undefined }>();

  const certificateOf = (socket: TLSSocket): ClientCertificate | undefined => {
    const known = certificates.get(socket);
    if (known !== undefined) return known.certificate;
    const { subject } = socket.getPeerCertificate();
    const certificate = clientCertificate(subject, socket.authorized);
    certificates.set(socket, { certificate });
    return certificate;
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
  const authorization = exchange.header("authorization");
  return {
    ...(authorization === undefined ? undefined : { authorization }),
    ...(certificate === undefined ? undefined : { certificate }),
  };
}

function userOf(verdict: Verdict): UserInfo {
  if (verdict.outcome === "allow") return verdict.user;
  throw unauthorized(verdict.outcome === "deny" ? verdict.why : undefined);
}

function attributesOf({ route, verb }: Call, user: UserInfo): Attributes {
  if (route.type !== "resource") return { kind: "path", user, verb, path: route.path };
  const { group, version, resource, subresource, namespace, name } = route;
  return { kind: "resource", user, verb, group, version, resource, subresource, namespace, name };
}
