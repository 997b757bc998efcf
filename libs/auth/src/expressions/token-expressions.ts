import type { JsonObject } from "../json.js";

/** What the expressions that are asked of one token may still cost together. */
export interface ExpressionBudget {
  remaining: number;
}

export type Evaluation<T> =
  | { readonly ok: true; readonly value: T }
  /** A sentence for the log. */
  | { readonly ok: false; readonly why: string };

/** What an expression makes of claims. */
export type Mapped =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "texts"; readonly texts: readonly string[] }
  | { readonly kind: "null" }
  /** Neither a text nor a list of texts; `name` is for the log. */
  | { readonly kind: "other"; readonly name: string };

/** `claims.sub`: its value is looked at when it is there, since claims may be of any type. */
export interface ClaimExpression {
  readonly expression: string;
  map(claims: JsonObject, budget: ExpressionBudget): Evaluation<Mapped>;
}

/** `claims.hd == 'example.com'`, of claims or of the user that was made of them. */
export interface ConditionExpression {
  readonly expression: string;
  holds(subject: JsonObject, budget: ExpressionBudget): Evaluation<boolean>;
}

export type Compiled<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** Whether it reads a claim by its name: `claims.email`, `claims.?email`, `has(claims.email)`. */
      selects(claim: string): boolean;
    }
  | { readonly ok: false; readonly why: string };

/**
 * Compiles the expressions of an authentication configuration. Loaded where a file has one:
 * `token-expression-compiler.ts`.
 */
export interface TokenExpressions {
  ofClaims(expression: string): Compiled<ClaimExpression>;
  conditionOfClaims(expression: string): Compiled<ConditionExpression>;
  conditionOfUser(expression: string): Compiled<ConditionExpression>;
}
