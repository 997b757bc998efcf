import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { printTraceparent, readTraceparent, readTracestate } from "./context.js";

const trace = "0af7651916cd43dd8448eb211c80319c";
const span = "b7ad6b7169203331";

const rows: readonly (readonly [header: string, sampled: boolean | undefined])[] = [
  [`00-${trace}-${span}-01`, true],
  [`00-${trace}-${span}-00`, false],
  [`00-${trace}-${span}-03`, true],
  [`00-${trace}-${span}-fe`, false],
  [`cc-${trace}-${span}-01`, true],
  [`cc-${trace}-${span}-01-what-the-future-will-be-like`, true],
  [`cc-${trace}-${span}-01.what-the-future-will-be-like`, undefined],
  [`00-${trace}-${span}-01-`, undefined],
  [`ff-${trace}-${span}-01`, undefined],
  [`00-${trace}-${span}-1`, undefined],
  [`00-${trace}-${span}-0g`, undefined],
  [`00-${trace.toUpperCase()}-${span}-01`, undefined],
  [`00-${"0".repeat(32)}-${span}-01`, undefined],
  [`00-${trace}-${"0".repeat(16)}-01`, undefined],
  [`00_${trace}-${span}-01`, undefined],
  [`00-${trace}-${span}-01, 00-${trace}-${span}-01`, undefined],
  ["", undefined],
];
for (const [header, sampled] of rows) {
  test(`traceparent ${JSON.stringify(header)} ${sampled === undefined ? "is none" : `says ${sampled}`}`, () => {
    assert.equal(readTraceparent(header)?.sampled, sampled);
  });
}

test("what is printed is read", () => {
  const printed = printTraceparent({ traceId: trace, spanId: span }, true);
  assert.deepEqual(readTraceparent(printed), { traceId: trace, spanId: span, flags: 1, sampled: true });
});

test("any text is a context or none", () => {
  fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => void readTraceparent(text)));
});

test("a state is passed on as it is, or not at all where it is too long or no text of headers", () => {
  assert.equal(readTracestate("a=1,b=2"), "a=1,b=2");
  for (const wrong of [undefined, "a=\u00e9", "a=\n", `a=${"b".repeat(600)}`]) assert.equal(readTracestate(wrong), "");
});
