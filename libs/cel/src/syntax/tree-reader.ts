import { balance, callOrMacro, type Grammar, isReserved, limits, literalOf, operatorOf } from "./actions.js";
import type { Expr, FieldEntry, MapEntry } from "./ast.js";
import { Abandoned, type Builder } from "./builder.js";
import type { Tree } from "./recovery.js";
import { nowhere } from "./source.js";
import type { Token } from "./tokens.js";

/**
 * Makes nodes of a tree with errors in it, for the errors that the reference finds there besides: a reserved word, a
 * number out of range, the arguments of a macro. Where something is missing, nothing more is told.
 */
export function readTree(tree: Tree, b: Builder, grammar: Grammar): Expr {
  let depth = 0;

  const token = (t: Tree, label: string): Token | undefined => t.tokens?.get(label)?.[0];
  const child = (t: Tree, label: string): Tree | undefined => t.trees?.get(label)?.[0];
  const nested = (read: () => Expr): Expr => {
    depth += 1;
    if (depth > limits.depth) throw new Abandoned([{ at: nowhere, message: "max recursion depth exceeded" }]);
    const e = read();
    depth -= 1;
    return e;
  };

  const visit = (t: Tree | undefined): Expr => {
    if (t === undefined) return b.broken(-1);
    switch (t.rule) {
      case "start":
        return visit(child(t, "e"));
      case "expr":
        return token(t, "op") === undefined ? visit(child(t, "e")) : nested(() => ternary(t));
      case "conditionalOr":
        return chain(t, "||", "_||_");
      case "conditionalAnd":
        return chain(t, "&&", "_&&_");
      case "relation":
      case "calc":
        return binary(t);
      case "unary":
        return unary(t);
      case "member":
        return t.left === undefined ? visit(child(t, "e")) : nested(() => member(t));
      case "primary":
        return primary(t);
      case "literal":
        return literal(t);
      default:
        return b.broken(-1);
    }
  };

  const ternary = (t: Tree): Expr => {
    const condition = visit(child(t, "e"));
    const yes = visit(child(t, "e1"));
    const no = visit(child(t, "e2"));
    return b.call(token(t, "op")?.start ?? -1, "_?_:_", [condition, yes, no]);
  };

  const chain = (t: Tree, written: string, name: string): Expr => {
    const terms = [visit(child(t, "e"))];
    const rest = t.trees?.get("e1") ?? [];
    const ops = t.tokens?.get("ops") ?? [];
    for (const i of ops.keys()) {
      const next = rest[i];
      if (next === undefined) return b.report(t.first.start, `unexpected character, wanted '${written}'`);
      terms.push(visit(next));
    }
    return balance(
      b,
      name,
      terms,
      ops.map((op) => op.start),
    );
  };

  const binary = (t: Tree): Expr => {
    const op = token(t, "op");
    if (t.left === undefined) return visit(child(t, "e"));
    if (op === undefined) return b.broken(-1);
    return nested(() => {
      const left = visit(t.left);
      const right = visit(child(t, "right"));
      const name = operatorOf(op.kind);
      return name === undefined ? b.report(t.first.start, "operator not found") : b.call(op.start, name, [left, right]);
    });
  };

  const unary = (t: Tree): Expr => {
    const operand = visit(child(t, "member"));
    const ops = t.tokens?.get("ops") ?? [];
    const [first] = ops;
    if (t.alternative < 2 || first === undefined || ops.length % 2 === 0) return operand;
    return b.call(first.start, t.alternative === 2 ? "!_" : "-_", [operand]);
  };

  const member = (t: Tree): Expr => {
    const operand = visit(t.left);
    const op = token(t, "op");
    const id = token(t, "id");
    if (t.alternative === 3) return index(t, operand);
    if (id === undefined || op === undefined) return b.broken(-1);
    if (t.alternative === 2) {
      const call = { at: token(t, "open")?.start ?? -1, name: id.text, target: operand, args: args(t) };
      return callOrMacro(b, grammar, call);
    }
    if (token(t, "opt") === undefined) return b.select(op.start, operand, id.text);
    if (!grammar.optionals) return b.report(op.start, "unsupported syntax '.?'");
    return b.call(op.start, "_?._", [operand, b.literal(id.start, id.text)]);
  };

  const index = (t: Tree, operand: Expr): Expr => {
    const op = token(t, "op");
    if (op === undefined) return b.broken(-1);
    const key = visit(child(t, "index"));
    if (token(t, "opt") === undefined) return b.call(op.start, "_[_]", [operand, key]);
    if (!grammar.optionals) return b.report(op.start, "unsupported syntax '[?'");
    return b.call(op.start, "_[?_]", [operand, key]);
  };

  const args = (t: Tree): readonly Expr[] => (child(t, "args")?.trees?.get("items") ?? []).map(visit);

  const primary = (t: Tree): Expr => {
    switch (t.alternative) {
      case 1:
        return named(t);
      case 3:
        return list(t);
      case 4:
        return map(t);
      case 5:
        return message(t);
      case 2:
      case 6:
        return visit(child(t, "e"));
      default:
        return b.broken(-1);
    }
  };

  const named = (t: Tree): Expr => {
    const id = token(t, "id");
    if (id === undefined) return b.broken(-1);
    if (isReserved(id.text)) return b.report(t.first.start, `reserved identifier: ${id.text}`);
    const name = token(t, "leadingDot") === undefined ? id.text : `.${id.text}`;
    const open = token(t, "op");
    if (open === undefined) return b.ident(id.start, name);
    return callOrMacro(b, grammar, { at: open.start, name, target: undefined, args: args(t) });
  };

  const list = (t: Tree): Expr => {
    const optional = new Set<number>();
    const elements = (child(t, "elems")?.trees?.get("items") ?? []).map((item, i) => {
      const mark = token(item, "opt");
      if (mark !== undefined) optional.add(i);
      if (mark !== undefined && !grammar.optionals) b.report(mark.start, "unsupported syntax '?'");
      return visit(child(item, "e"));
    });
    return b.list(token(t, "op")?.start ?? -1, elements, optional);
  };

  const map = (t: Tree): Expr => {
    const entries = child(t, "entries");
    const keys = entries?.trees?.get("keys") ?? [];
    const values = entries?.trees?.get("values") ?? [];
    const made: MapEntry[] = [];
    for (const [i, colon] of (entries?.tokens?.get("cols") ?? []).entries()) {
      const key = keys[i];
      const value = values[i];
      if (key === undefined || value === undefined) break;
      const mark = token(key, "opt");
      if (mark !== undefined && !grammar.optionals) b.report(mark.start, "unsupported syntax '?'");
      const parts = { key: visit(child(key, "e")), value: visit(value), optional: mark !== undefined };
      made.push(b.entry(colon.start, parts));
    }
    return b.map(token(t, "op")?.start ?? -1, made);
  };

  const message = (t: Tree): Expr => {
    const name = (t.tokens?.get("ids") ?? []).map((id) => id.text).join(".");
    const entries = child(t, "entries");
    const fields = entries?.trees?.get("fields") ?? [];
    const values = entries?.trees?.get("values") ?? [];
    const cols = entries?.tokens?.get("cols") ?? [];
    const made: FieldEntry[] = [];
    for (const [i, field] of fields.entries()) {
      const colon = cols[i];
      const value = values[i];
      const id = token(field, "id");
      if (colon === undefined || value === undefined || id === undefined) break;
      made.push(b.field(colon.start, { name: id.text, value: visit(value), optional: false }));
    }
    return b.struct(token(t, "op")?.start ?? -1, name, made);
  };

  const literal = (t: Tree): Expr => {
    const tok = token(t, "tok");
    if (tok === undefined || tok.text.startsWith("<missing")) return b.broken(-1);
    const sign = token(t, "sign");
    const made = literalOf(b, tok, { start: t.first.start, negative: sign !== undefined });
    return made ?? b.broken(-1);
  };

  return visit(tree);
}
