import { resolvePath } from "@orch/schema/structural/field-path.js";
import type { JsonSchema, SchemaRule } from "@orch/schema/structural/json-schema.js";
import { validations } from "@orch/schema/structural/json-schema.js";
import type { Checked } from "../check/check.js";
import { t } from "../check/types.js";
import { type CelEnvironment, extendEnvironment } from "../environment.js";
import { analyze, estimateCost, makeProgram, type Program } from "../program.js";
import { type Declared, declareSchema, type SchemaDeclaration, sizeAt } from "../schema/declare.js";
import { viewOfJsonSchema } from "../schema/json-schema.js";
import type { RuleEnvironments } from "./environments.js";

/** A rule of a schema, ready to run, or what is wrong with it. */
export interface CompiledRule {
  readonly rule: SchemaRule;
  /** Undefined of a rule without a text, and of one that is wrong. */
  readonly program: Program | undefined;
  readonly problem: string | undefined;
  readonly message: Program | undefined;
  readonly messageProblem: string | undefined;
  /** It compares with the value before. */
  readonly usesOldSelf: boolean;
  /** The field below the value that errors name; `""` for the value itself. */
  readonly fieldPath: string;
  /** The most that one evaluation may cost; asked of definitions alone. */
  cost(): bigint;
  messageCost(): bigint;
}

export interface CompileRulesOptions {
  readonly environments: RuleEnvironments;
  /** Of the type of the values; rules of one schema say what others do of their parts by the same name. */
  readonly name: string;
  /** The schema is that of a whole object. */
  readonly root: boolean;
  /** Whether a text was there before: it may use every library. */
  readonly isStored: (part: "rule" | "message", text: string) => boolean;
}

export type CompiledRules =
  | {
      readonly ok: true;
      readonly rules: readonly CompiledRule[];
      /** The fewest bytes of a value, from which follows how many there may be in a request. */
      readonly least: () => number;
    }
  /** Expressions see nothing of such values. */
  | { readonly ok: false; readonly problem: string };

const untyped = "unable to convert structural schema to CEL declarations";

/** Compiles the rules that stand at one node of a schema. */
export function compileRules(schema: JsonSchema, options: CompileRulesOptions): CompiledRules {
  const { environments, name, isStored } = options;
  const view = viewOfJsonSchema(schema);
  const root = options.root || view.embedded;
  const stored = declareSchema(view, { name, root, keywords: true });
  if (stored === undefined) return { ok: false, problem: untyped };
  const fresh = environments.freshKeywords ? stored : (declareSchema(view, { name, root, keywords: false }) ?? stored);
  const scopeOf = (part: "rule" | "message", text: string): Scope =>
    isStored(part, text)
      ? { env: environments.stored, declaration: stored }
      : { env: environments.fresh, declaration: fresh };
  const rules = (schema[validations] ?? []).map((rule) => compileRule(rule, schema, scopeOf));
  return { ok: true, rules, least: () => stored.declared.min };
}

interface Scope {
  readonly env: CelEnvironment;
  readonly declaration: SchemaDeclaration;
}

const noCost = (): bigint => 0n;

function compileRule(
  rule: SchemaRule,
  schema: JsonSchema,
  scopeOf: (part: "rule" | "message", text: string) => Scope,
): CompiledRule {
  const { rule: text = "", messageExpression = "", fieldPath = "", optionalOldSelf = false } = rule;
  const none: CompiledRule = {
    rule,
    program: undefined,
    problem: undefined,
    message: undefined,
    messageProblem: undefined,
    usesOldSelf: false,
    fieldPath: "",
    cost: noCost,
    messageCost: noCost,
  };
  if (text.trim() === "") return none;
  const made = compileText(text, {
    scope: scopeOf("rule", text),
    optionalOldSelf,
    wanted: "bool",
    prefix: "",
    mistyped: "cel expression must evaluate to a bool",
  });
  const usesOldSelf = made.checked !== undefined && mentionsOldSelf(made.checked);
  if (made.problem !== undefined) return { ...none, problem: made.problem, usesOldSelf };
  const compiled = { ...none, program: made.program, usesOldSelf, cost: made.cost, fieldPath: at(fieldPath, schema) };
  if (messageExpression === "") return compiled;
  const message = compileText(messageExpression, {
    scope: scopeOf("message", messageExpression),
    optionalOldSelf,
    wanted: "string",
    prefix: "messageExpression ",
    mistyped: "messageExpression must evaluate to a string",
  });
  return { ...compiled, message: message.program, messageProblem: message.problem, messageCost: message.cost };
}

function at(fieldPath: string, schema: JsonSchema): string {
  const found = fieldPath === "" ? "" : resolvePath(fieldPath, schema, { brackets: true });
  return typeof found === "string" ? "" : found.text;
}

interface CompiledText {
  readonly program?: Program;
  readonly problem?: string;
  readonly checked?: Checked;
  readonly cost: () => bigint;
}

interface TextOptions {
  readonly scope: Scope;
  readonly optionalOldSelf: boolean;
  readonly wanted: "bool" | "string";
  readonly prefix: string;
  readonly mistyped: string;
}

function compileText(text: string, { scope, optionalOldSelf, wanted, prefix, mistyped }: TextOptions): CompiledText {
  const { declared, structs } = scope.declaration;
  const { type } = declared;
  const variables = new Map([
    ["self", type],
    ["oldSelf", optionalOldSelf ? t.optional(type) : type],
  ]);
  const env = extendEnvironment(scope.env, { variables, structs });
  const analysis = analyze(text, env);
  if (!analysis.ok) return { problem: `${prefix}compilation failed: ${analysis.display}`, cost: noCost };
  const { checked } = analysis;
  if (checked.type.kind !== wanted) return { problem: mistyped, cost: noCost };
  const made = makeProgram(text, checked, { env });
  if (!made.ok) {
    const what = prefix === "" ? "program" : "messageExpression";
    return { problem: `${what} instantiation failed: ${made.display}`, checked, cost: noCost };
  }
  const cost = (): bigint => estimateCost(checked, env, (path) => sizeOf(declared, path)).max;
  return { program: made.program, checked, cost };
}

function sizeOf(declared: Declared, path: readonly string[]): ReturnType<typeof sizeAt> {
  return path[0] === "self" || path[0] === "oldSelf" ? sizeAt(declared, path) : undefined;
}

function mentionsOldSelf({ references }: Checked): boolean {
  return references.some((reference) => reference?.kind === "variable" && reference.name === "oldSelf");
}
