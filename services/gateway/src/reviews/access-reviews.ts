import {
  type AccessReview,
  type AskedResource,
  type AskedSelector,
  accessReview,
  rulesReview,
} from "@orch/api/kinds/authorization/types.js";
import type { Attributes, Authorizer } from "@orch/auth/authorizer.js";
import type { RuleResolver, UserRules } from "@orch/auth/rules.js";
import type { UserInfo } from "@orch/auth/user.js";
import { badRequest } from "@orch/status/api-error.js";
import { type ToldSelector, toldFieldSelector, toldLabelSelector } from "./asked-selectors.js";
import { type AnswerReview, answered, type Question, toldError } from "./review.js";

/** Answers whether a given user may do something (SubjectAccessReview, LocalSubjectAccessReview). */
export function reviewAccess(authorizer: Authorizer): AnswerReview {
  return (question) => {
    const { user = "", uid = "", groups = [], extra = {} } = accessReview(question.object).spec ?? {};
    return decided(authorizer, question, { name: user, uid, groups, extra });
  };
}

/** Answers whether the asking user may do something (SelfSubjectAccessReview). */
export function reviewOwnAccess(authorizer: Authorizer): AnswerReview {
  return (question) => decided(authorizer, question, question.user);
}

async function decided(authorizer: Authorizer, question: Question, user: UserInfo) {
  const { attributes, problems } = askedOf(accessReview(question.object), user);
  try {
    const { outcome, reason } = await authorizer.authorize(attributes);
    const status = { allowed: outcome === "allow", denied: outcome === "deny", reason };
    return answered(question.object, { ...status, evaluationError: problems.join("; ") });
  } catch (error) {
    const evaluationError = [toldError(question, error), ...problems].join("; ");
    return answered(question.object, { allowed: false, evaluationError });
  }
}

interface Asked {
  readonly attributes: Attributes;
  /** What of the question was left out. */
  readonly problems: readonly string[];
}

/** Attributes as a request has them: the answer is what the server itself would decide. */
function askedOf({ spec: { resourceAttributes, nonResourceAttributes } = {} }: AccessReview, user: UserInfo): Asked {
  if (resourceAttributes !== undefined) return askedResource(resourceAttributes, user);
  const { path = "", verb = "" } = nonResourceAttributes ?? {};
  return { attributes: { kind: "path", user, verb, path }, problems: [] };
}

function askedResource(asked: AskedResource, user: UserInfo): Asked {
  const { verb = "", group = "", version = "", resource = "", subresource = "", namespace = "", name = "" } = asked;
  const field = toldBy(toldFieldSelector, asked.fieldSelector);
  const label = toldBy(toldLabelSelector, asked.labelSelector);
  return {
    attributes: {
      kind: "resource",
      user,
      verb,
      group,
      // An absent value stands for any.
      version: version === "" ? "*" : version,
      resource,
      subresource,
      namespace,
      name,
      ...(field.text === "" ? {} : { fieldSelector: field.text }),
      ...(label.text === "" ? {} : { labelSelector: label.text }),
    },
    problems: [...problemOf("fieldSelector", field), ...problemOf("labelSelector", label)],
  };
}

function toldBy(tell: (selector: AskedSelector) => ToldSelector, selector: AskedSelector | undefined): ToldSelector {
  return selector === undefined ? { text: "", left: "nothing" } : tell(selector);
}

function problemOf(selector: string, { left }: ToldSelector): readonly string[] {
  if (left === "nothing") return [];
  return [`spec.resourceAttributes.${selector} ${left === "some" ? "partially " : ""}ignored due to parse error`];
}

/**
 * Answers what the asking user may do in a namespace (SelfSubjectRulesReview). The answer does not repeat the question.
 * @throws ApiError BadRequest without a namespace
 */
export function reviewRules(rules: RuleResolver): AnswerReview {
  return async (question) => {
    const { namespace = "" } = rulesReview(question.object).spec ?? {};
    if (namespace === "") throw badRequest("no namespace on request");
    return { metadata: {}, status: shownRules(await rulesOf(rules, question, namespace)) };
  };
}

async function rulesOf(rules: RuleResolver, question: Question, namespace: string): Promise<UserRules> {
  try {
    return await rules.rulesFor(question.user, namespace);
  } catch (error) {
    return { rules: [], incomplete: true, evaluationError: toldError(question, error) };
  }
}

function shownRules({ rules, incomplete, evaluationError }: UserRules): object {
  const resourceRules = rules.flatMap(({ verbs, apiGroups, resources = [], resourceNames }) =>
    resources.length === 0 ? [] : [{ verbs, apiGroups, resources, resourceNames }],
  );
  const nonResourceRules = rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
    nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
  );
  return { resourceRules, nonResourceRules, incomplete, evaluationError };
}
