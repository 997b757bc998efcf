import { clauseProblems, formatPieces } from "../libraries/formatting.js";
import { matcher } from "../libraries/patterns.js";
import { children, type Expr } from "../syntax/ast.js";
import { parseDuration, parseTimestamp, toTimestamp } from "../values/time.js";
import { CelError } from "../values/value.js";
import type { ConstantCheck, Finding } from "./environment.js";
import { declaredType, formatType, optionalOf, sameType, type Type } from "./types.js";

/** Every node of an expression, from the outside in. */
function* nodes(e: Expr): Iterable<Expr> {
  yield e;
  for (const part of children(e)) yield* nodes(part);
}

/** The first argument of each call of a function, where it is a constant that `isGood` refuses. */
const literalArgument =
  (name: string, isGood: (value: unknown) => boolean): ConstantCheck =>
  (root) => {
    const found: Finding[] = [];
    for (const e of nodes(root)) {
      const [arg] = e.kind === "call" && e.function === name ? e.args : [];
      if (arg?.kind !== "literal" || isGood(arg.value)) continue;
      found.push({ at: arg.at, message: `invalid ${name} argument` });
    }
    return found;
  };

const text = (isGood: (text: string) => boolean) => (value: unknown) => typeof value !== "string" || isGood(value);

/** A number is no duration, though the types would let it be one. */
const durations = literalArgument("duration", (x) => typeof x === "string" && parseDuration(x) !== undefined);

const timestamps = literalArgument("timestamp", (x) => {
  if (typeof x === "number" || typeof x === "bigint") return !(toTimestamp(Number(x), 0) instanceof CelError);
  const time = typeof x === "string" ? parseTimestamp(x) : undefined;
  return time !== undefined && !(time instanceof CelError);
});

const patterns = literalArgument(
  "matches",
  text((x) => !(matcher(x) instanceof CelError)),
);

/** Elements, keys and values of literals have one type each, dyn among others too; arguments of `format` are free. */
const homogeneous: ConstantCheck = (root, typeOf) => {
  const found: Finding[] = [];
  const compare = (items: readonly { readonly e: Expr; readonly optional: boolean }[], each: boolean): void => {
    let first: Type | undefined;
    for (const { e, optional } of items) {
      const type = optional ? (optionalOf(typeOf(e)) ?? typeOf(e)) : typeOf(e);
      first ??= type;
      if (sameType(first, type)) continue;
      found.push({ at: e.at, message: `expected type '${formatType(first)}' but found '${formatType(type)}'` });
      if (!each) return;
    }
  };
  const visit = (e: Expr): void => {
    if (e.kind === "call" && e.function === "format") return;
    if (e.kind === "list")
      compare(
        e.elements.map((item, i) => ({ e: item, optional: e.optional.has(i) })),
        false,
      );
    if (e.kind === "map") {
      compare(
        e.entries.map((entry) => ({ e: entry.key, optional: false })),
        true,
      );
      compare(
        e.entries.map((entry) => ({ e: entry.value, optional: entry.optional })),
        true,
      );
    }
    for (const part of children(e)) visit(part);
  };
  visit(root);
  return found;
};

/** Of every release. */
export const homogeneousCheck: ConstantCheck = homogeneous;
export const literalChecks: readonly ConstantCheck[] = [durations, timestamps, patterns];

const kinds: Readonly<Record<string, readonly Type["kind"][]>> = {
  s: ["list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null"],
  d: ["int", "uint"],
  f: ["double", "string"],
  e: ["double", "string"],
  b: ["int", "uint", "bool"],
  x: ["int", "uint", "string", "bytes"],
  X: ["int", "uint", "string", "bytes"],
  o: ["int", "uint"],
};

/** The clauses of a constant format text against the types of a literal list of arguments. */
export const formatCheck: ConstantCheck = (root, typeOf) => {
  const found: Finding[] = [];
  for (const e of nodes(root)) {
    if (e.kind !== "call" || e.function !== "format" || e.target?.kind !== "literal" || e.args.length !== 1) continue;
    const [args] = e.args;
    if (args?.kind !== "list" || typeof e.target.value !== "string") continue;
    const problem = formatProblem(e.target.value, args.elements, typeOf);
    if (problem !== undefined) found.push({ at: problem.at ?? e.at, message: problem.message });
  }
  return found;
};

function formatProblem(
  format: string,
  args: readonly Expr[],
  typeOf: (e: Expr) => Type,
): { readonly at?: number; readonly message: string } | undefined {
  let index = 0;
  for (const piece of formatPieces(format)) {
    if (typeof piece === "string") continue;
    const arg = args[index];
    if ("error" in piece && piece.error === "unexpected end of string") return { message: piece.error };
    if (arg === undefined) return { message: `index ${index} out of range` };
    if ("error" in piece) return { message: piece.error };
    const wrong = piece.verb === "s" ? unprintable(arg, typeOf) : isOneOf(typeOf(arg), piece.verb) ? undefined : arg;
    if (wrong !== undefined) {
      const given = shortName(typeOf(wrong));
      return { at: wrong.at, message: `error during formatting: ${clauseProblems[piece.verb]}, was given ${given}` };
    }
    index += 1;
  }
  if (args.length <= index) return undefined;
  return { message: `too many arguments supplied to string.format (expected ${index}, got ${args.length})` };
}

function isOneOf(type: Type, verb: string): boolean {
  return type.kind === "dyn" || (kinds[verb] ?? []).includes(type.kind);
}

/** The part of a value that has no text; of literals their parts are looked at too. */
function unprintable(e: Expr, typeOf: (e: Expr) => Type): Expr | undefined {
  if (!isOneOf(typeOf(e), "s")) return e;
  if (e.kind !== "list" && e.kind !== "map") return undefined;
  for (const part of children(e)) {
    const wrong = unprintable(part, typeOf);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** The name of a type without what it holds. */
function shortName(type: Type): string {
  switch (type.kind) {
    case "opaque":
      return type.name;
    case "list":
    case "map":
    case "type":
      return type.kind;
    default:
      return declaredType(type);
  }
}
