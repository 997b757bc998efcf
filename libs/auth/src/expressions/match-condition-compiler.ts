import { type Condition, compileCondition, matchAll } from "@orch/cel/conditions.js";
import { authorizationEnvironment } from "@orch/cel/kinds.js";
import { dynamicValue } from "@orch/cel/schema/dynamic.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Attributes } from "../authorizer.js";
import { selectorRequirements } from "../webhook/selector-requirements.js";
import type { ConditionMatch, MatchConditionCompiler } from "./match-conditions.js";

/** What the conditions of one webhook may cost together for one request. */
const matchBudget = 2_500_000;

export function matchConditionCompiler({ dialect }: Naming): MatchConditionCompiler {
  const env = authorizationEnvironment(dialect);
  const known = new Map<string, Condition>();
  const compiled = (expression: string): Condition => {
    const before = known.get(expression);
    if (before !== undefined) return before;
    const made = compileCondition(expression, env);
    known.set(expression, made);
    return made;
  };
  return {
    check: compiled,
    together(expressions) {
      const programs = expressions.flatMap((each) => {
        const made = compiled(each);
        return made.ok ? [made.program] : [];
      });
      return {
        expressions,
        evaluate(attributes): ConditionMatch {
          const subject = dynamicValue(subjectOf(attributes));
          const match = matchAll(programs, () => subject, { budget: { remaining: matchBudget } });
          if (match.matches === "unknown") {
            return { kind: "failed", errors: match.errors.map((error) => `cel evaluation error: ${error}`) };
          }
          return { kind: match.matches ? "matches" : "excluded" };
        },
      };
    },
  };
}

/** The spec of a SubjectAccessReview v1 as expressions see it: every text is there, if only an empty one. */
function subjectOf(attributes: Attributes): object {
  const { user, verb } = attributes;
  const subject = { user: user.name, groups: user.groups, uid: user.uid, extra: user.extra };
  if (attributes.kind === "path") return { ...subject, nonResourceAttributes: { path: attributes.path, verb } };
  const { namespace, group, version, resource, subresource, name } = attributes;
  return {
    ...subject,
    resourceAttributes: {
      namespace,
      verb,
      group,
      version,
      resource,
      subresource,
      name,
      ...selectorRequirements(attributes),
    },
  };
}
