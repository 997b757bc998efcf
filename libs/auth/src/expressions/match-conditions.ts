import type { Attributes } from "../authorizer.js";

/**
 * Whether a webhook is asked. `excluded`: a condition is false, whatever became of the others. `errors`: none is
 * false, and some say nothing, each a sentence for the log.
 */
export type ConditionMatch =
  | { readonly kind: "matches" }
  | { readonly kind: "excluded" }
  | { readonly kind: "failed"; readonly errors: readonly string[] };

/** The match conditions of one webhook, all of which must hold. Compiled by `match-condition-compiler.ts`. */
export interface MatchConditions {
  readonly expressions: readonly string[];
  evaluate(attributes: Attributes): ConditionMatch;
}

export type CompiledCondition =
  | { readonly ok: true }
  /** `required`: it has no text. */
  | {
      readonly ok: false;
      readonly problem: { readonly kind: "required" } | { readonly kind: "invalid"; readonly message: string };
    };

/** Compiles the match conditions of a file; loaded where there are any. */
export interface MatchConditionCompiler {
  check(expression: string): CompiledCondition;
  /** Of expressions that passed {@link check}. */
  together(expressions: readonly string[]): MatchConditions;
}
