import type { CelEnvironment } from "@orch/cel/environment.js";
import { claimsEnvironment, userEnvironment } from "@orch/cel/kinds.js";
import { analyze, makeProgram, type Program } from "@orch/cel/program.js";
import { dynamicValue } from "@orch/cel/schema/dynamic.js";
import { children, type Expr } from "@orch/cel/syntax/ast.js";
import { elementsOf } from "@orch/cel/values/collections.js";
import { ListValue, typeNameOf, type Value } from "@orch/cel/values/value.js";
import type { Dialect } from "@orch/naming/naming.js";
import type { JsonObject } from "../json.js";
import type {
  ClaimExpression,
  Compiled,
  ConditionExpression,
  Evaluation,
  ExpressionBudget,
  Mapped,
  TokenExpressions,
} from "./token-expressions.js";

/** Compiles expressions over claims and users with every library: what a configuration file holds is not rolled back. */
export function tokenExpressions(dialect: Dialect): TokenExpressions {
  const ofClaims = remembered(claimsEnvironment(dialect));
  const ofUser = remembered(userEnvironment(dialect));
  return {
    ofClaims: (expression) => compiled(ofClaims(expression), claimExpression),
    conditionOfClaims: (expression) => condition(ofClaims(expression)),
    conditionOfUser: (expression) => condition(ofUser(expression)),
  };
}

interface Ready {
  readonly program: Program;
  readonly expr: Expr;
  readonly isBool: boolean;
}

type Outcome = ({ readonly ok: true } & Ready) | { readonly ok: false; readonly why: string };

/** Each text is compiled once, to be checked and then to be run. */
function remembered(env: CelEnvironment): (text: string) => Outcome {
  const known = new Map<string, Outcome>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = compile(text, env);
    known.set(text, made);
    return made;
  };
}

function compile(text: string, env: CelEnvironment): Outcome {
  const analysis = analyze(text, env);
  if (!analysis.ok) return { ok: false, why: `compilation failed: ${analysis.display}` };
  const { checked } = analysis;
  const made = makeProgram(text, checked, { env });
  if (!made.ok) return { ok: false, why: `program instantiation failed: ${made.display}` };
  return { ok: true, program: made.program, expr: checked.expr, isBool: checked.type.kind === "bool" };
}

function compiled<T>(outcome: Outcome, make: (program: Program) => T): Compiled<T> {
  if (!outcome.ok) return outcome;
  return { ok: true, value: make(outcome.program), selects: (claim) => selects(outcome.expr, claim) };
}

function condition(outcome: Outcome): Compiled<ConditionExpression> {
  if (outcome.ok && !outcome.isBool) return { ok: false, why: "must evaluate to bool" };
  return compiled(outcome, conditionExpression);
}

function claimExpression(program: Program): ClaimExpression {
  return {
    expression: program.text,
    map(claims, budget) {
      const result = run(program, claims, budget);
      return result.ok ? { ok: true, value: mapped(result.value) } : result;
    },
  };
}

function conditionExpression(program: Program): ConditionExpression {
  return {
    expression: program.text,
    holds(subject, budget) {
      const result = run(program, subject, budget);
      if (!result.ok || typeof result.value !== "boolean") {
        return { ok: false, why: result.ok ? "validation expression must return a boolean" : result.why };
      }
      return { ok: true, value: result.value };
    },
  };
}

/** The environments have one variable each. */
function run(program: Program, subject: JsonObject, budget: ExpressionBudget): Evaluation<Value> {
  const outcome = program.run(() => dynamicValue(subject), { budget });
  if (outcome.ok) return outcome;
  return { ok: false, why: `expression '${program.text}' resulted in error: ${outcome.error}` };
}

function mapped(value: Value): Mapped {
  if (typeof value === "string") return { kind: "text", text: value };
  if (value === null) return { kind: "null" };
  if (!(value instanceof ListValue)) return { kind: "other", name: typeNameOf(value) };
  const texts: string[] = [];
  for (const element of elementsOf(value)) {
    if (typeof element !== "string") return { kind: "other", name: `list with ${typeNameOf(element)}` };
    texts.push(element);
  }
  return { kind: "texts", texts };
}

/** `.claims` is the same name, written from the root. */
const isClaims = (e: Expr | undefined): boolean => e?.kind === "ident" && (e.name === "claims" || e.name === ".claims");

function selects(e: Expr, claim: string): boolean {
  if (e.kind === "select" && e.field === claim && isClaims(e.operand)) return true;
  if (e.kind === "call" && e.function === "_?._" && isClaims(e.args[0])) {
    const [, field] = e.args;
    if (field?.kind === "literal" && field.value === claim) return true;
  }
  return children(e).some((inner) => selects(inner, claim));
}
