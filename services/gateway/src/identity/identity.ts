import type { Authenticator, Verdict } from "@orch/auth/authenticator.js";
import type { Attributes, Authorizer, Decision } from "@orch/auth/authorizer.js";
import { forbiddenError } from "@orch/auth/forbidden.js";
import { impersonate, wantsImpersonation } from "@orch/auth/impersonation.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Naming } from "@orch/naming/naming.js";
import { ApiError, unauthorized } from "@orch/status/api-error.js";
import type { Span } from "@orch/status/span.js";
import type { Target } from "@orch/status/target.js";
import type { Received, ScopedDecision } from "../call.js";
import type { HttpRequest } from "../http/request.js";
import type { Answer, PermittedNamespaces } from "../permitted/permitted-namespaces.js";
import { isAboutAllNamespaces, wantsPermitted } from "../permitted/scope.js";
import { attributesOf } from "../request-attributes.js";
import { RequestCredentials } from "./request-credentials.js";

export interface IdentityDeps {
  readonly naming: Naming;
  readonly authenticator: Authenticator;
  /** The user of a request without credentials to a path; undefined where credentials are needed. */
  readonly anonymous: (path: string) => UserInfo | undefined;
  readonly authorizer: Authorizer;
  readonly failedLogins: FailedLogins;
  /** What of all namespaces lists and watches that ask for it may show; absent where none can ask. */
  readonly scoped?: ScopedReads | undefined;
  /** Called with the reason why credentials are refused, for the log; the client is not told. */
  readonly refused?: (why: string) => void;
}

/** Requests that are refused as a whole, and answered of the namespaces in which they are not. */
export interface ScopedReads {
  /** Whether objects of the resource are in namespaces, as far as that is known here. */
  isNamespaced(target: Target): boolean;
  readonly permitted: PermittedNamespaces;
}

/** Counts wrong credentials by the address that they come from. */
export interface FailedLogins {
  /** Seconds until such an `Authorization` header is checked again; undefined if it may be checked now. */
  blocked(address: string, authorization: string): number | undefined;
  failed(address: string): void;
  /** The header was valid: failures of others behind the same address do not hold it up. */
  worked(authorization: string): void;
}

/** Authentication, impersonation and authorization of requests; `span` is what they are part of, where that is traced. */
export interface Identity {
  /** @throws ApiError Unauthorized; TooManyRequests after too many wrong credentials */
  authenticate(request: HttpRequest, span?: Span): UserInfo | Promise<UserInfo>;
  /**
   * The user that the request's headers ask to impersonate; the sender if they ask for none. @throws ApiError
   * Forbidden, BadRequest
   */
  impersonated(request: HttpRequest, sender: UserInfo, span?: Span): UserInfo | Promise<UserInfo>;
  /** The decision that allows it. @throws ApiError Forbidden */
  authorize(call: Received, user: UserInfo): ScopedDecision | Promise<ScopedDecision>;
}

export function createIdentity(deps: IdentityDeps): Identity {
  const { authenticator, anonymous, authorizer, failedLogins } = deps;
  const userOf = (request: HttpRequest, verdict: Verdict): UserInfo => {
    if (verdict.outcome === "allow") {
      const authorization = request.header("authorization");
      if (authorization !== undefined) failedLogins.worked(authorization);
      return verdict.user;
    }
    if (verdict.outcome === "deny") {
      failedLogins.failed(request.peer.address);
      deps.refused?.(verdict.why);
      throw unauthorized(verdict.why);
    }
    const user = anonymous(request.path);
    if (user === undefined) throw unauthorized();
    return user;
  };

  return {
    authenticate(request, span) {
      const credentials = new RequestCredentials(request, span);
      const { authorization } = credentials;
      if (authorization !== undefined) {
        const seconds = failedLogins.blocked(request.peer.address, authorization);
        if (seconds !== undefined) throw tooManyFailures(seconds);
      }
      const verdict = authenticator.authenticate(credentials);
      return verdict instanceof Promise ? verdict.then((v) => userOf(request, v)) : userOf(request, verdict);
    },
    impersonated(request, sender, span) {
      if (!wantsImpersonation(request.headers)) return sender;
      return impersonate(sender, request.distinctHeaders(), { ...deps, span });
    },
    authorize(call, user) {
      const attributes = attributesOf(call, user);
      const decide = (decision: Decision): ScopedDecision | Promise<ScopedDecision> => {
        if (decision.outcome !== "allow" && deps.scoped !== undefined) {
          const within = decideWithin(deps, deps.scoped, { call, attributes });
          if (within !== undefined) return within;
        }
        call.audit?.decided(decision);
        if (decision.outcome !== "allow") throw forbiddenError(attributes, decision.reason);
        return decision;
      };
      const decision = authorizer.authorize(attributes, call.trace?.span);
      return decision instanceof Promise ? decision.then(decide) : decide(decision);
    },
  };
}

/**
 * Allows a request for what it shows of the namespaces that its user may see, be they none: a client that has kept what it saw
 * must learn that it sees nothing any more. Undefined where the request does not ask for that, or cannot.
 */
function decideWithin(
  { naming }: Pick<IdentityDeps, "naming">,
  { isNamespaced, permitted }: ScopedReads,
  { call, attributes }: { readonly call: Received; readonly attributes: Attributes },
): ScopedDecision | Promise<ScopedDecision> | undefined {
  if (attributes.kind !== "resource" || !isAboutAllNamespaces(call, attributes) || !wantsPermitted(call.request)) {
    return undefined;
  }
  // Who is nobody has no rights of its own to be shown.
  if (attributes.user.groups.includes(naming.unauthenticatedGroup) || !isNamespaced(attributes)) return undefined;
  const decided = (answer: Answer): ScopedDecision => {
    const decision: Decision = { outcome: "allow", reason: `in ${answer.namespaces.length} namespaces` };
    call.audit?.decided(decision);
    return { ...decision, permitted: { ...answer, attributes } };
  };
  const found = permitted.of(attributes);
  return found instanceof Promise ? found.then(decided) : decided(found);
}

function tooManyFailures(retryAfterSeconds: number): ApiError {
  return new ApiError("TooManyRequests", "Too many wrong credentials came from this address, please try again later.", {
    details: { retryAfterSeconds },
  });
}
