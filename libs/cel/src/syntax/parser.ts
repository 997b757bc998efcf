import {
  balance,
  callOrMacro,
  type Grammar,
  isReserved,
  limits,
  literalOf,
  products,
  relations,
  sums,
} from "./actions.js";
import type { Expr, FieldEntry, MapEntry } from "./ast.js";
import { Abandoned, type Builder, createBuilder, type MacroText } from "./builder.js";
import { recoverTree } from "./recovery.js";
import { codePoints, type Issue, nowhere } from "./source.js";
import { type Token, type TokenKind, type Tokens, tokenize } from "./tokens.js";
import { readTree } from "./tree-reader.js";

export type Parsed =
  | { readonly ok: true; readonly expr: Expr; readonly nodes: number; readonly written: ReadonlyMap<number, MacroText> }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Reads an expression and writes its macros out. Errors are the reference's, in its order. */
export function parse(text: string, grammar: Grammar): Parsed {
  const size = codePoints(text);
  if (size > limits.codePoints) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${limits.codePoints}`;
    return { ok: false, issues: [{ at: nowhere, message }] };
  }
  const tokens = tokenize(text);
  const builder = createBuilder(text);
  try {
    const expr = tokens.errors.length > 0 ? undefined : readExpression(tokens, builder, grammar);
    if (expr === undefined) return { ok: false, issues: syntaxErrors(text, tokens, grammar) };
    if (builder.issues.length > 0) return { ok: false, issues: builder.issues };
    return { ok: true, expr, nodes: builder.nodes(), written: builder.written };
  } catch (thrown) {
    if (thrown instanceof Abandoned) return { ok: false, issues: [...builder.issues, ...thrown.issues] };
    throw thrown;
  }
}

/** The slow reader recovers from an error as the reference does, and tells what else is wrong. */
function syntaxErrors(text: string, tokens: Tokens, grammar: Grammar): readonly Issue[] {
  const { tree, issues } = recoverTree(text, tokens);
  const builder = createBuilder(text);
  try {
    readTree(tree, builder, grammar);
  } catch (thrown) {
    if (!(thrown instanceof Abandoned)) throw thrown;
    return [...issues, ...builder.issues, ...thrown.issues];
  }
  return [...issues, ...builder.issues];
}

/** The tokens do not make an expression. */
class Malformed {}

type Depths = { -readonly [rule in "expr" | "relation" | "calc"]: number };

/**
 * The fast reader, of texts without syntax errors: one function a rule of the grammar. Gives undefined at the first
 * token that does not fit. `height` is how deep the reference's visitor would stand in what was read last.
 *
 * @throws Abandoned beyond a limit of depth
 */
function readExpression(tokens: Tokens, b: Builder, grammar: Grammar): Expr | undefined {
  const { list } = tokens;
  const depths: Depths = { expr: 0, relation: 0, calc: 0 };
  let at = 0;
  let height = 0;

  const end: Token = list[list.length - 1] ?? { kind: "EOF", text: "", start: 0 };
  const peek = (ahead = 0): Token => list[at + ahead] ?? end;
  const accept = (kind: TokenKind): Token | undefined => {
    const token = peek();
    if (token.kind !== kind) return undefined;
    at += 1;
    return token;
  };
  const expect = (kind: TokenKind): Token => {
    const token = accept(kind);
    if (token === undefined) throw new Malformed();
    return token;
  };
  const enter = (rule: keyof Depths): void => {
    depths[rule] += 1;
    if (depths[rule] > limits.depth) throw tooDeep(`expression recursion limit exceeded: ${limits.depth}`);
  };
  const raise = (...heights: readonly number[]): void => {
    height = Math.max(...heights) + 1;
    if (height > limits.depth) throw tooDeep("max recursion depth exceeded");
  };
  const widest = (read: () => Expr, heights: { max: number }): Expr => {
    const e = read();
    heights.max = Math.max(heights.max, height);
    return e;
  };

  const expr = (): Expr => {
    enter("expr");
    const condition = or();
    const first = height;
    const question = accept("?");
    if (question === undefined) {
      depths.expr -= 1;
      return condition;
    }
    const yes = or();
    const second = height;
    expect(":");
    const no = expr();
    raise(first, second, height);
    depths.expr -= 1;
    return b.call(question.start, "_?_:_", [condition, yes, no]);
  };

  const chain = (kind: TokenKind, name: string, read: () => Expr): Expr => {
    const heights = { max: 0 };
    const terms = [widest(read, heights)];
    const ops: number[] = [];
    for (let op = accept(kind); op !== undefined; op = accept(kind)) {
      ops.push(op.start);
      terms.push(widest(read, heights));
    }
    height = heights.max;
    return balance(b, name, terms, ops);
  };
  const or = (): Expr => chain("||", "_||_", and);
  const and = (): Expr => chain("&&", "_&&_", () => relation(0));

  const relation = (precedence: number): Expr => {
    enter("relation");
    let left = calc(0);
    for (
      let name = relations.get(peek().kind);
      name !== undefined && precedence <= 1;
      name = relations.get(peek().kind)
    ) {
      const op = peek();
      at += 1;
      const before = height;
      const right = relation(2);
      raise(before, height);
      left = b.call(op.start, name, [left, right]);
    }
    depths.relation -= 1;
    return left;
  };

  const calc = (precedence: number): Expr => {
    enter("calc");
    let left = unary();
    for (;;) {
      const { kind, start } = peek();
      const product = products.get(kind);
      const sum = precedence <= 1 ? sums.get(kind) : undefined;
      const name = product !== undefined && precedence <= 2 ? product : sum;
      if (name === undefined) break;
      at += 1;
      const before = height;
      const right = calc(name === product ? 3 : 2);
      raise(before, height);
      left = b.call(start, name, [left, right]);
    }
    depths.calc -= 1;
    return left;
  };

  const unary = (): Expr => {
    const { kind, start } = peek();
    if (kind !== "!" && kind !== "-") return member();
    const next = peek(1).kind;
    if (kind === "-" && (next === "NUM_INT" || next === "NUM_FLOAT")) return member();
    let count = 0;
    while (accept(kind) !== undefined) count += 1;
    const operand = member();
    if (count % 2 === 0) return operand;
    return callOrMacro(b, grammar, { at: start, name: kind === "!" ? "!_" : "-_", target: undefined, args: [operand] });
  };

  const member = (): Expr => {
    let e = primary();
    for (;;) {
      const { kind, start } = peek();
      if (kind === ".") e = afterDot(e, start);
      else if (kind === "[") e = index(e, start);
      else return e;
    }
  };

  const afterDot = (operand: Expr, dot: number): Expr => {
    at += 1;
    const question = accept("?");
    const name = expect("IDENTIFIER");
    const before = height;
    const open = question === undefined ? accept("(") : undefined;
    if (open !== undefined) {
      const args = listOf(")", () => expr());
      raise(before, height);
      return callOrMacro(b, grammar, { at: open.start, name: name.text, target: operand, args });
    }
    raise(before);
    if (question === undefined) return b.select(dot, operand, name.text);
    if (!grammar.optionals) return b.report(dot, "unsupported syntax '.?'");
    return b.call(dot, "_?._", [operand, b.literal(name.start, name.text)]);
  };

  const index = (operand: Expr, bracket: number): Expr => {
    at += 1;
    const question = accept("?");
    const before = height;
    const key = expr();
    expect("]");
    raise(before, height);
    if (question === undefined) return b.call(bracket, "_[_]", [operand, key]);
    if (!grammar.optionals) return b.report(bracket, "unsupported syntax '[?'");
    return b.call(bracket, "_[?_]", [operand, key]);
  };

  /** Expressions between commas up to the closing token, which is taken. */
  const listOf = (close: TokenKind, read: () => Expr): Expr[] => {
    height = 0;
    if (accept(close) !== undefined) return [];
    const heights = { max: 0 };
    const items = [widest(read, heights)];
    while (accept(",") !== undefined) items.push(widest(read, heights));
    expect(close);
    height = heights.max;
    return items;
  };

  const primary = (): Expr => {
    const token = peek();
    height = 0;
    switch (token.kind) {
      case "(": {
        at += 1;
        const e = expr();
        expect(")");
        return e;
      }
      case "[":
        return listLiteral(token.start);
      case "{":
        return mapLiteral(token.start);
      case ".":
      case "IDENTIFIER":
        return named(token.start);
      default:
        return literal(token);
    }
  };

  const named = (start: number): Expr => {
    const leading = accept(".") !== undefined;
    const message = messageName();
    if (message !== undefined) return struct(leading ? `.${message}` : message);
    const name = expect("IDENTIFIER");
    const open = accept("(");
    const args = open === undefined ? [] : listOf(")", () => expr());
    if (isReserved(name.text)) return b.report(start, `reserved identifier: ${name.text}`);
    const full = leading ? `.${name.text}` : name.text;
    if (open === undefined) return b.ident(name.start, full);
    return callOrMacro(b, grammar, { at: open.start, name: full, target: undefined, args });
  };

  /** Takes `a.b.c` where a brace follows it. */
  const messageName = (): string | undefined => {
    let ahead = 0;
    let name = "";
    for (;;) {
      const part = peek(ahead);
      if (part.kind !== "IDENTIFIER") return undefined;
      name += part.text;
      const next = peek(ahead + 1).kind;
      if (next === "{") {
        at += ahead + 1;
        return name;
      }
      if (next !== ".") return undefined;
      name += ".";
      ahead += 2;
    }
  };

  const struct = (name: string): Expr => {
    const open = expect("{");
    const fields: FieldEntry[] = [];
    const heights = { max: 0 };
    while (peek().kind !== "}") {
      const question = accept("?");
      const field = expect("IDENTIFIER");
      const colon = expect(":");
      const value = widest(expr, heights);
      if (question !== undefined && !grammar.optionals) b.report(question.start, "unsupported syntax '?'");
      fields.push(b.field(colon.start, { name: field.text, value, optional: question !== undefined }));
      if (accept(",") === undefined) break;
    }
    if (fields.length === 0) accept(",");
    expect("}");
    height = heights.max;
    return b.struct(open.start, name, fields);
  };

  const mapLiteral = (start: number): Expr => {
    at += 1;
    const entries: MapEntry[] = [];
    const heights = { max: 0 };
    while (peek().kind !== "}" && !(entries.length === 0 && peek().kind === ",")) {
      const question = accept("?");
      const key = widest(expr, heights);
      const colon = expect(":");
      const value = widest(expr, heights);
      if (question !== undefined && !grammar.optionals) b.report(question.start, "unsupported syntax '?'");
      entries.push(b.entry(colon.start, { key, value, optional: question !== undefined }));
      if (accept(",") === undefined) break;
    }
    if (entries.length === 0) accept(",");
    expect("}");
    height = heights.max;
    return b.map(start, entries);
  };

  const listLiteral = (start: number): Expr => {
    at += 1;
    const elements: Expr[] = [];
    const optional = new Set<number>();
    const heights = { max: 0 };
    while (peek().kind !== "]" && !(elements.length === 0 && peek().kind === ",")) {
      const question = accept("?");
      if (question !== undefined && !grammar.optionals) b.report(question.start, "unsupported syntax '?'");
      if (question !== undefined) optional.add(elements.length);
      elements.push(widest(expr, heights));
      if (accept(",") === undefined) break;
    }
    if (elements.length === 0) accept(",");
    expect("]");
    height = heights.max;
    return b.list(start, elements, optional);
  };

  const literal = (first: Token): Expr => {
    const negative = accept("-") !== undefined;
    const token = peek();
    if (negative && token.kind !== "NUM_INT" && token.kind !== "NUM_FLOAT") throw new Malformed();
    const e = literalOf(b, token, { start: first.start, negative });
    if (e === undefined) throw new Malformed();
    at += 1;
    return e;
  };

  try {
    const e = expr();
    return peek().kind === "EOF" ? e : undefined;
  } catch (thrown) {
    if (thrown instanceof Malformed) return undefined;
    throw thrown;
  }
}

function tooDeep(message: string): Abandoned {
  return new Abandoned([{ at: nowhere, message }]);
}
