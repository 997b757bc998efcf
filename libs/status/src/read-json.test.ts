import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { exactly, readJson } from "./read-json.js";

// One shape after the other, as the engine's guess of the next key needs it.
const poisoned: readonly (readonly [string, string, readonly string[]])[] = [
  ['{"\\\\":1}', '{"\\"":1}', ['"']],
  ['{"x":1,"\\\\":1}', '{"x":1,"\\"":2}', ["x", '"']],
  ['{"h":[],"\\\\":0}', '{"h":1,"\\n":2}', ["h", "\n"]],
  ['{"k:{\\\\\\"name\\\\\\":\\\\\\"":{}}', '{"k:{\\"name\\":\\"a\\"}":{}}', ['k:{"name":"a"}']],
  ['{"ab\\\\":1}', '{"ab\\u0063":1}', ["abc"]],
];

test("a key with an escape is not taken for one that somebody sent before", () => {
  for (let round = 0; round < 50; round++) {
    for (const [poison, text, keys] of poisoned) {
      readJson(poison);
      assert.deepEqual(Object.keys(readJson(text)), keys, text);
    }
  }
});

test("keys that do have a backslash are kept", () => {
  assert.deepEqual(readJson('{"a\\\\b":{"\\\\":[1,"\\\\"]}}'), { "a\\b": { "\\": [1, "\\"] } });
});

test("the exact reader gives what was printed", () => {
  const tree = fc.jsonValue({ noUnicodeString: false });
  const space = fc.constantFrom(0, 2);
  fc.assert(
    fc.property(tree, space, (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.deepEqual(exactly(text), JSON.parse(text));
    }),
  );
});

test("the exact reader keeps the last of repeated keys, -0 and an own __proto__", () => {
  assert.deepEqual(exactly('{"a":1,"b":2,"a":3}'), { a: 3, b: 2 });
  assert.ok(Object.is(exactly("-0"), -0));
  const read = exactly('{"__proto__":{"polluted":true}}');
  assert.ok(typeof read === "object" && read !== null && Object.hasOwn(read, "__proto__"));
  assert.equal("polluted" in {}, false);
});

test("a text nested deeper than the stack is read", () => {
  const deep = `${"[".repeat(100_000)}{"\\\\":1}${"]".repeat(100_000)}`;
  assert.ok(Array.isArray(readJson(deep)));
});

test("what is no JSON is refused", () => {
  assert.throws(() => readJson('{"a\\\\":}'), SyntaxError);
});
