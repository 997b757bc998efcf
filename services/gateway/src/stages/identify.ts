import type { UserInfo } from "@orch/auth/user.js";
import {
  type Admitted,
  type Authenticated,
  type Authorized,
  authenticated,
  authorized,
  type Identified,
  identified,
  type Received,
  type ScopedDecision,
} from "../call.js";
import type { Identity } from "../identity/identity.js";
import type { Stage } from "./stages.js";

/** Who sends the request. */
export function authenticate(identity: Identity): Stage<Received, Authenticated> {
  return (call) => {
    const known = (sender: UserInfo): Authenticated => {
      call.trace?.authenticated();
      return authenticated(call, sender);
    };
    const sender = identity.authenticate(call.request, call.trace?.span);
    return sender instanceof Promise ? sender.then(known) : known(sender);
  };
}

/** Whom the request is to be taken for. */
export function impersonate(identity: Identity): Stage<Authenticated, Identified> {
  return (call) => {
    const known = (user: UserInfo): Identified => {
      if (user !== call.sender) call.audit?.impersonated(user);
      return identified(call, user);
    };
    const user = identity.impersonated(call.request, call.sender, call.trace?.span);
    return user instanceof Promise ? user.then(known) : known(user);
  };
}

/** Whether the user may do what the request asks for. */
export function authorize(identity: Identity): Stage<Admitted, Authorized> {
  return (call) => {
    const known = (decision: ScopedDecision): Authorized => authorized(call, decision);
    const decision = identity.authorize(call, call.user);
    return decision instanceof Promise ? decision.then(known) : known(decision);
  };
}
