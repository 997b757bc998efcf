import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { diffLines, foldDiff } from "./diff-lines.js";

const shown = (before: string, after: string): string =>
  diffLines(before.split("").join("\n"), after.split("").join("\n"))
    .map(({ sign, text }) => (sign === " " ? text : sign + text))
    .join(" ");

test("lines that stay, go and come", () => {
  assert.equal(shown("abc", "abc"), "a b c");
  assert.equal(shown("abc", "axc"), "a -b +x c");
  assert.equal(shown("abcd", "acde"), "a -b c d +e");
  assert.equal(shown("", "ab"), "- +a +b");
});

test("whatever differs, one side and the other are in it whole", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "  d: 1"), { maxLength: 30 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const side = (sign: string): string =>
        lines.flatMap((line) => (line.sign === " " || line.sign === sign ? [line.text] : [])).join("\n");
      assert.equal(side("-"), before);
      assert.equal(side("+"), after);
    }),
  );
});

test("texts that have nothing in common are told as a whole, in bounded time", () => {
  const text = (start: string): string => Array.from({ length: 5000 }, (_, at) => `${start}${at}`).join("\n");
  assert.equal(diffLines(text("a"), text("b")).length, 10_000);
});

test("what is far from any change is left out", () => {
  const lines = diffLines("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\n5\n6\n7\n8\nx");
  assert.deepEqual(
    foldDiff(lines, 2).map((part) => ("leftOut" in part ? part.leftOut : part.lines.map(({ text }) => text).join(""))),
    [6, "789x"],
  );
  assert.deepEqual(foldDiff(diffLines("a", "a")), [{ leftOut: 1 }]);
});
