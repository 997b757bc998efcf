import type { Expr } from "./ast.js";
import type { Builder } from "./builder.js";
import { bytesLiteral, doubleLiteral, integerLiteral, stringLiteral, unsignedLiteral } from "./literals.js";
import type { Macro } from "./macros.js";
import type { Token, TokenKind } from "./tokens.js";

// What both readers make of what they read: the fast one, and the one that recovers from errors.

export const limits = { codePoints: 100_000, depth: 250 };

export interface Grammar {
  readonly macros: ReadonlyMap<string, Macro>;
  /** `.?`, `[?`, and `?` before elements and entries. */
  readonly optionals: boolean;
}

/** The functions of operators. */
export const relations: ReadonlyMap<TokenKind, string> = new Map([
  ["<", "_<_"],
  ["<=", "_<=_"],
  [">=", "_>=_"],
  [">", "_>_"],
  ["==", "_==_"],
  ["!=", "_!=_"],
  ["in", "@in"],
]);

export const products: ReadonlyMap<TokenKind, string> = new Map([
  ["*", "_*_"],
  ["/", "_/_"],
  ["%", "_%_"],
]);

export const sums: ReadonlyMap<TokenKind, string> = new Map([
  ["+", "_+_"],
  ["-", "_-_"],
]);

/** How macros are found: by name, style and number of arguments. */
export function macroKey(name: string, argCount: number, member: boolean): string {
  return `${name}:${argCount}:${member}`;
}

const reserved = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

/** The node of a literal's token; undefined where the token is none. */
export function literalOf(
  b: Builder,
  token: Token,
  { start, negative }: { readonly start: number; readonly negative: boolean },
): Expr | undefined {
  const made = (value: Parameters<Builder["literal"]>[1] | undefined, wrong: string): Expr =>
    value === undefined ? b.report(start, wrong) : b.literal(start, value);
  switch (token.kind) {
    case "NUM_INT":
      return made(integerLiteral(token.text, negative), "invalid int literal");
    case "NUM_UINT":
      return made(unsignedLiteral(token.text), "invalid uint literal");
    case "NUM_FLOAT":
      return made(doubleLiteral(token.text, negative), "invalid double literal");
    case "STRING":
      return made(stringLiteral(token.text), "unable to unescape string");
    case "BYTES":
      return made(bytesLiteral(token.text), "unable to unescape string");
    case "true":
      return b.literal(start, true);
    case "false":
      return b.literal(start, false);
    case "null":
      return b.literal(start, null);
    default:
      return undefined;
  }
}

/** A chain of `&&` or `||` as a balanced tree: a long one does not nest deep. */
export function balance(b: Builder, name: string, terms: readonly Expr[], ops: readonly number[]): Expr {
  const part = (low: number, high: number): Expr => {
    const middle = Math.floor((low + high + 1) / 2);
    const left = middle === low ? terms[middle] : part(low, middle - 1);
    const right = middle === high ? terms[middle + 1] : part(middle + 1, high);
    const at = ops[middle] ?? 0;
    return b.call(at, name, [left ?? b.broken(at), right ?? b.broken(at)]);
  };
  const [only] = terms;
  return ops.length === 0 && only !== undefined ? only : part(0, ops.length - 1);
}

export function callOrMacro(
  b: Builder,
  grammar: Grammar,
  call: {
    readonly at: number;
    readonly name: string;
    readonly target: Expr | undefined;
    readonly args: readonly Expr[];
  },
): Expr {
  const { at, name, target, args } = call;
  const macro = grammar.macros.get(macroKey(name, args.length, target !== undefined));
  const expanded = macro?.expand(b, at, { target, args });
  if (expanded !== undefined) {
    b.written.set(expanded.id, { name, target, args });
    return expanded;
  }
  return target === undefined ? b.call(at, name, args) : b.member(at, target, name, args);
}

export function isReserved(name: string): boolean {
  return reserved.has(name);
}

/** The function of a binary operator. */
export function operatorOf(kind: TokenKind): string | undefined {
  return relations.get(kind) ?? products.get(kind) ?? sums.get(kind);
}
