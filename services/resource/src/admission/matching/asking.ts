import type { Attributes, Decision } from "@orch/auth/authorizer.js";
import { serviceAccountGroups, serviceAccountUser } from "@orch/auth/service-account-name.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { AdmissionSubject } from "@orch/cel/admission/subject.js";
import { type Asker, createAsker } from "@orch/cel/asking.js";
import {
  type AuthorizationCheck,
  type AuthorizationDecision,
  authorizerOf,
  requestResourceOf,
} from "@orch/cel/libraries/authorizer.js";
import type { Question } from "./question.js";

/** Who asks the authorizer for the expressions of one write: each question once. */
export interface Asking {
  readonly asker: Asker;
  /** `authorizer` and `authorizer.requestResource`. */
  readonly values: NonNullable<AdmissionSubject["authorizer"]>;
}

export function askingFor({ write, name }: Question): Asking {
  const { deps, request, requested } = write;
  const asker = createAsker(async (check) => {
    try {
      return decided(await deps.permissions.authorizer.authorize(attributesOf(check, request.user), write.span));
    } catch (error) {
      return { allowed: false, reason: "", error: error instanceof Error ? error.message : "the authorizer failed" };
    }
  });
  const { dialect } = deps.naming;
  const { subresource, namespace } = request;
  const target = { group: requested.group, resource: requested.plural, subresource, namespace, name };
  return {
    asker,
    values: {
      own: authorizerOf(dialect, asker.authorize),
      requestResource: requestResourceOf(dialect, asker.authorize, target),
    },
  };
}

function decided({ outcome, reason }: Decision): AuthorizationDecision {
  return { allowed: outcome === "allow", reason };
}

function attributesOf(check: AuthorizationCheck, requester: UserInfo): Attributes {
  const user = userOf(check, requester);
  const { verb } = check;
  if ("path" in check) return { kind: "path", user, verb, path: check.path };
  const { group, version, resource, subresource, namespace, name, fieldSelector, labelSelector } = check;
  return {
    kind: "resource",
    ...{ user, verb, group, version, resource, subresource, namespace, name },
    ...(fieldSelector === "" ? {} : { fieldSelector }),
    ...(labelSelector === "" ? {} : { labelSelector }),
  };
}

function userOf({ user }: AuthorizationCheck, requester: UserInfo): UserInfo {
  if (user.kind === "requester") return requester;
  return { name: serviceAccountUser(user), uid: "", groups: serviceAccountGroups(user.namespace), extra: {} };
}
