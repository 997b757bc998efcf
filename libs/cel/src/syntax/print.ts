import { doubleText } from "../values/doubles.js";
import { Double, Uint, type Value } from "../values/value.js";
import type { Expr } from "./ast.js";
import type { MacroText } from "./builder.js";

/** How tightly operators bind: an operand that binds less tightly stands in parentheses. */
const binary: Readonly<Record<string, readonly [text: string, strength: number]>> = {
  "_||_": ["||", 2],
  "_&&_": ["&&", 3],
  "_<_": ["<", 4],
  "_<=_": ["<=", 4],
  "_>_": [">", 4],
  "_>=_": [">=", 4],
  "_==_": ["==", 4],
  "_!=_": ["!=", 4],
  "@in": ["in", 4],
  "_+_": ["+", 5],
  "_-_": ["-", 5],
  "_*_": ["*", 6],
  "_/_": ["/", 6],
  "_%_": ["%", 6],
};
/** Of `&&` and `||`, and below. */
const chainStrength = 3;
const unary: Readonly<Record<string, string>> = { "!_": "!", "-_": "-" };
const unaryStrength = 7;
const memberStrength = 8;

/** The text of an expression: what is read from it is the same expression. Macros are printed as they were written. */
export function print(root: Expr, written: ReadonlyMap<number, MacroText>): string {
  const within = (e: Expr, strength: number): string => {
    const [text, own] = show(e);
    return own < strength ? `(${text})` : text;
  };
  const args = (list: readonly Expr[]): string => list.map((e) => within(e, 0)).join(", ");

  const show = (e: Expr): readonly [text: string, strength: number] => {
    const macro = written.get(e.id);
    if (macro !== undefined) return call(macro.name, macro.target, macro.args);
    switch (e.kind) {
      case "literal":
        return [literalText(e.value), isNegative(e.value) ? unaryStrength : memberStrength];
      case "ident":
        return [e.name, memberStrength];
      case "select":
        return [`${within(e.operand, memberStrength)}.${e.field}`, memberStrength];
      case "call":
        return operator(e.function, e.args) ?? call(e.function, e.target, e.args);
      case "list":
        return [
          `[${e.elements.map((x, i) => (e.optional.has(i) ? "?" : "") + within(x, 0)).join(", ")}]`,
          memberStrength,
        ];
      case "map":
        return [
          `{${e.entries.map((x) => `${x.optional ? "?" : ""}${within(x.key, 0)}: ${within(x.value, 0)}`).join(", ")}}`,
          memberStrength,
        ];
      case "struct":
        return [
          `${e.name}{${e.fields.map((x) => `${x.optional ? "?" : ""}${x.name}: ${within(x.value, 0)}`).join(", ")}}`,
          memberStrength,
        ];
      default:
        return ["", memberStrength];
    }
  };

  const call = (name: string, target: Expr | undefined, list: readonly Expr[]): readonly [string, number] => {
    const receiver = target === undefined ? "" : `${within(target, memberStrength)}.`;
    return [`${receiver}${name}(${args(list)})`, memberStrength];
  };

  const operator = (name: string, [a, b, c]: readonly Expr[]): readonly [string, number] | undefined => {
    if (a === undefined) return undefined;
    const sign = unary[name];
    if (sign !== undefined) return [sign + signed(within(a, memberStrength)), unaryStrength];
    if (b === undefined) return undefined;
    const infix = binary[name];
    if (infix !== undefined) {
      const [text, own] = infix;
      if (own > chainStrength) return [`${within(a, own)} ${text} ${within(b, own + 1)}`, own];
      // A chain is balanced when it is read: what is balanced needs no parentheses, anything else does.
      const inner = isBalanced(name, a, b) ? own : own + 1;
      return [`${within(a, inner)} ${text} ${within(b, inner)}`, own];
    }
    if (name === "_[_]") return [`${within(a, memberStrength)}[${within(b, 0)}]`, memberStrength];
    if (name === "_[?_]") return [`${within(a, memberStrength)}[?${within(b, 0)}]`, memberStrength];
    if (name === "_?._" && b.kind === "literal")
      return [`${within(a, memberStrength)}.?${String(b.value)}`, memberStrength];
    if (name === "_?_:_" && c !== undefined) return [`${within(a, 2)} ? ${within(b, 2)} : ${within(c, 1)}`, 1];
    return undefined;
  };

  return within(root, 0);
}

/** How many terms a chain of one operator has. */
function termCount(name: string, e: Expr): number {
  if (e.kind !== "call" || e.function !== name) return 1;
  return e.args.reduce((sum, arg) => sum + termCount(name, arg), 0);
}

/** Whether a chain has the shape in which its terms, written one after the other, are read. */
function isBalanced(name: string, left: Expr, right: Expr): boolean {
  const [a, b] = [termCount(name, left), termCount(name, right)];
  const middle = Math.floor((a + b - 1) / 2);
  return a === middle + 1 && [left, right].every((e) => isBalancedTerm(name, e));
}

function isBalancedTerm(name: string, e: Expr): boolean {
  if (e.kind !== "call" || e.function !== name) return true;
  const [left, right] = e.args;
  return left !== undefined && right !== undefined && isBalanced(name, left, right);
}

/** A number right behind a sign would be read as one with it. */
function signed(operand: string): string {
  const first = operand.charCodeAt(0);
  return (first >= 48 && first <= 57) || first === 46 ? `(${operand})` : operand;
}

function isNegative(value: Value): boolean {
  if (typeof value === "number" || typeof value === "bigint") return value < 0;
  return value instanceof Double && (value.value < 0 || Object.is(value.value, -0));
}

function literalText(value: Value): string {
  if (typeof value === "string") return quoted(value);
  if (value instanceof Uint8Array)
    return `b"${[...value].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}"`;
  if (value instanceof Uint) return `${value.value}u`;
  if (!(value instanceof Double)) return String(value);
  const text = doubleText(value.value);
  return text.includes(".") || text.includes("e") ? text : `${text}.0`;
}

function quoted(text: string): string {
  let out = "";
  for (const point of text) {
    const code = point.codePointAt(0) ?? 0;
    if (point === '"' || point === "\\") out += `\\${point}`;
    else if (code >= 0x20 && code !== 0x7f) out += point;
    else out += `\\u${code.toString(16).padStart(4, "0")}`;
  }
  return `"${out}"`;
}
