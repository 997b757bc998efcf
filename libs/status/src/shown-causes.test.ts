import assert from "node:assert/strict";
import { test } from "node:test";
import { invalid } from "./api-error.js";
import { fieldError } from "./field-error.js";
import { showValue } from "./show-value.js";

const kind = { group: "", kind: "Pod" };
const list = Array.from({ length: 8000 }, (_, i) => ({ name: `item-${i}`, text: "x".repeat(60) }));

test("errors that each show a whole list take little room, in memory and in the answer", () => {
  const before = process.memoryUsage().heapUsed;
  const errors = list.map((_, i) => fieldError.invalid(`spec.items[${i}]`, list, "is not alone"));
  assert.ok(process.memoryUsage().heapUsed - before < 32 * 2 ** 20);
  const body = JSON.stringify(invalid(kind, "p", errors).toStatus());
  assert.ok(body.length < 600_000, String(body.length));
  const shown = invalid(kind, "p", errors).details?.causes?.length ?? 0;
  assert.ok(shown > 0);
  assert.match(invalid(kind, "p", errors).message, new RegExp(`, and ${list.length - shown} more\\]$`));
});

test("a huge path, name or text is cut", () => {
  const huge = "x".repeat(3_000_000);
  for (const error of [
    invalid(kind, "p", [fieldError.required(huge)]),
    invalid(kind, "p", [fieldError.forbidden("spec", huge)]),
    invalid(kind, huge, [fieldError.invalid("metadata.name", huge, "too long")]),
    invalid(kind, "p", [fieldError.notSupported("spec", huge, ["a"])]),
  ]) {
    assert.ok(JSON.stringify(error.toStatus()).length < 50_000);
    assert.match(error.message, /xxx…/);
  }
});

test("of a value no more is read than is shown", () => {
  let read = 0;
  const counted = new Proxy(list, {
    get: (target, name, receiver) => {
      read++;
      return Reflect.get(target, name, receiver);
    },
  });
  const shown = showValue(counted);
  assert.equal(shown, `${JSON.stringify(list).slice(0, 10_000)}…`);
  assert.ok(read < 1000, String(read));
});

test("values are shown as JSON", () => {
  for (const value of ['a\n"', 1, -0.5, true, null, [], {}, [1, [null]], { a: { "b c": [] }, "": undefined, d: 1 }]) {
    assert.equal(showValue(value), JSON.stringify(value));
  }
  assert.equal(showValue(undefined), "null");
});

test("what is wrong twice in the same words stands in the text once, and in the causes twice", () => {
  const error = fieldError.required("spec.a");
  const { message, details } = invalid(kind, "p", [error, error]);
  assert.equal(message, 'Pod "p" is invalid: spec.a: Required value');
  assert.equal(details?.causes?.length, 2);
});
