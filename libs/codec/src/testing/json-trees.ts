import fc from "fast-check";

const words = fc.constantFrom("yes", "N", "0x1", "0o7", "1_0", "1e3", "~", "<<", "=", "- a", "a: b", "&a", "*a", "!x");
const numbersOfOld = fc.constantFrom(
  "e5",
  ".",
  "0b_",
  "08",
  "1:20",
  "2001-01-01",
  "2001-1-1 1:2:3 Z",
  "+._",
  "1__",
  "-",
);
const odd = fc.constantFrom(
  "---",
  "...",
  "%x",
  "\u2028",
  "\ufeff",
  "\u0085",
  "a\n\n b\n",
  " x",
  "x ",
  "#",
  "0b1",
  "_1",
  "a #",
  "a:",
);
const lines = fc
  .array(fc.constantFrom("a", " ", "\n", "\t", "\n\n", "b c", "  d", '"', "'", "- ", "é", "😀", "\u0001"), {
    maxLength: 12,
  })
  .map((parts) => parts.join(""));

/** Strings that a careless printer of JSON or YAML gets wrong, and any others. */
export const texts = fc.oneof(
  words,
  numbersOfOld,
  odd,
  lines,
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }).map((s) => Buffer.from(s).toString()),
);

const keys = fc.oneof(
  { weight: 9, arbitrary: texts },
  { weight: 1, arbitrary: texts.map((text) => text + "k".repeat(1025)) },
);

const numbers = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noDefaultInfinity: true, noNaN: true }).filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n)),
);

/** Any value of JSON. */
export const { json: jsonTrees } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    texts,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(keys, tie("json"), { maxKeys: 4 }),
  ),
}));
