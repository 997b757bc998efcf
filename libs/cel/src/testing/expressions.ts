import fc from "fast-check";

/** Texts of expressions over the variables that {@link variables} declares: most of them read, many of them check. */
const names = ["i", "s", "b", "l", "m", "d", "u", "f"];

const atoms = fc.oneof(
  fc.constantFrom(...names),
  fc.constantFrom("1", "-2", "0", "9223372036854775807", "3u", "1.5", "-0.0", "true", "false", "null"),
  fc.constantFrom("'a'", '"x\\ny"', "b'\\xff'", "'\u00e9\u{1f600}'", "[]", "{}", "duration('1s')"),
);

const binary = ["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "in", "&&", "||"];
const members = ["size()", "x", "startsWith('a')", "matches('a+')", "hasValue()", "sum()", "split(',')"];
const loops = ["all", "exists", "exists_one", "map", "filter"];

export const expressions: fc.Arbitrary<string> = fc.letrec<{ e: string }>((tie) => ({
  e: fc.oneof(
    { maxDepth: 5, depthIdentifier: "e" },
    atoms,
    fc.tuple(tie("e"), fc.constantFrom(...binary), tie("e")).map(([a, op, b]) => `(${a}) ${op} (${b})`),
    fc.tuple(tie("e"), fc.constantFrom(...binary), tie("e")).map(([a, op, b]) => `${a} ${op} ${b}`),
    fc.tuple(tie("e"), tie("e"), tie("e")).map(([a, b, c]) => `${a} ? ${b} : (${c})`),
    fc.tuple(tie("e"), fc.constantFrom(...members)).map(([a, member]) => `(${a}).${member}`),
    fc.tuple(tie("e"), tie("e")).map(([a, key]) => `(${a})[${key}]`),
    fc.tuple(tie("e"), fc.constantFrom(...loops), tie("e")).map(([a, loop, body]) => `(${a}).${loop}(x, ${body})`),
    fc.array(tie("e"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    fc
      .array(fc.tuple(tie("e"), tie("e")), { maxLength: 2 })
      .map((pairs) => `{${pairs.map(([k, v]) => `${k}: ${v}`).join(", ")}}`),
    fc.tuple(fc.constantFrom("!", "-", "!!", "--"), tie("e")).map(([op, a]) => `${op}(${a})`),
    fc
      .tuple(fc.constantFrom("size", "string", "int", "type", "dyn", "optional.of"), tie("e"))
      .map(([fn, a]) => `${fn}(${a})`),
    fc.constantFrom("has(d.a)", "has(m.k)", "d.?a.orValue(1)", "m[?'k']", "optional.none()", "d.a.b"),
  ),
})).e;

/** Texts of any kind, with many characters that mean something to the language. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."()[]{}.,?:+-*/%<>=!&|'\"\\ \n\t".split("")),
      fc.constantFrom("'''", "r'", 'b"', "0x", "1e", "in", "true", "null", "//", "x", "\u00e9", "\ud800", ".?", "[?"),
      fc.constantFrom(...names),
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(""));

const pieces = ["", "(", ")", "[", "]", "{", "}", ",", ".", "?", ":", "&&", "+", " x ", "'", " in "];

/** Expressions with a character taken away or a piece put in: they read as far as there, and then do not. */
export const brokenExpressions: fc.Arbitrary<string> = fc
  .tuple(expressions, fc.nat(), fc.constantFrom(...pieces))
  .map(([text, place, piece]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + piece + text.slice(piece === "" ? at + 1 : at);
  });
