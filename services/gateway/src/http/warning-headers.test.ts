import assert from "node:assert/strict";
import { test } from "node:test";
import { warningHeaders } from "./warning-headers.js";

test("a warning is code 299 without an agent, its text quoted for a header", () => {
  const rows: readonly (readonly [text: string, header: string])[] = [
    ["plain text", '299 - "plain text"'],
    ['unknown field "a\\b"', '299 - "unknown field \\"a\\\\b\\""'],
    ["two\r\nlines", '299 - "two\\r\\nlines"'],
    ["del\x7fete", '299 - "delete"'],
    ["é", Buffer.from('299 - "é"').toString("latin1")],
  ];
  for (const [text, header] of rows) assert.deepEqual(warningHeaders([text]), ["Warning", header]);
  assert.deepEqual(warningHeaders([]), []);
  assert.deepEqual(warningHeaders(["a", "b"]), ["Warning", '299 - "a"', "Warning", '299 - "b"']);
});

test("more warnings than a client would take are shortened, then left out from the end", () => {
  const texts = (headers: readonly string[]): readonly string[] => headers.filter((_, i) => i % 2 === 1);
  const long = (i: number): string => `${i}`.padEnd(2000, "x");
  assert.deepEqual(texts(warningHeaders([long(1), long(2)])), [`299 - "${long(1)}"`, `299 - "${long(2)}"`]);
  const some = texts(warningHeaders([long(1), long(2), "short", long(3)]));
  assert.deepEqual(
    some.map(({ length }) => length),
    [256, 256, 5, 256].map((n) => n + '299 - ""'.length),
  );
  assert.equal(texts(warningHeaders(Array.from({ length: 40 }, (_, i) => long(i)))).length, 16);
});

test("what was said once is not said again", () => {
  assert.deepEqual(warningHeaders(["a", "b", "a"]), ["Warning", '299 - "a"', "Warning", '299 - "b"']);
});

test("fifty warnings have a header each; one more tells how many there are beyond", () => {
  const some = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `warning ${i}`);
  const headersOf = (count: number): readonly string[] => warningHeaders(some(count)).filter((_, i) => i % 2 === 1);
  assert.equal(headersOf(50).length, 50);
  assert.equal(headersOf(50).at(-1), '299 - "warning 49"');
  assert.equal(headersOf(51).length, 51);
  assert.deepEqual(headersOf(51).slice(-2), ['299 - "warning 49"', '299 - "and 1 more warning"']);
  assert.equal(headersOf(100_000).length, 51);
  assert.equal(headersOf(100_000).at(-1), '299 - "and 99950 more warnings"');
  const long = some(80).map((text) => text.padEnd(400, "x"));
  assert.equal(warningHeaders(long).at(-1), '299 - "and 64 more warnings"');
});
