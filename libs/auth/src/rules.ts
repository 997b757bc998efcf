import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import type { Authorizer } from "./authorizer.js";
import type { UserInfo } from "./user.js";

/** What a user may do in a namespace, as far as an authorizer can list it. */
export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** Whether there may be more: an authorizer that cannot list its rules, or a role that is missing. */
  readonly incomplete: boolean;
  /** What went wrong, for the client; empty where nothing did. */
  readonly evaluationError: string;
}

export const noRules: UserRules = { rules: [], incomplete: false, evaluationError: "" };

/** That lets everything be done. */
export const everyRule: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** Lists rules (SelfSubjectRulesReview; who may grant what). */
export interface RuleResolver {
  /** In a namespace, with those of the whole cluster; `namespace` is empty for the latter alone. */
  rulesFor(user: UserInfo, namespace: string): UserRules | Promise<UserRules>;
}

/** What a service asks that must know more of a user than whether this one request is allowed. */
export interface Permissions {
  readonly authorizer: Authorizer;
  readonly rules: RuleResolver;
}
