import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonText } from "@orch/status/json-text.js";
import fc from "fast-check";
import { unrecognizedBody } from "./decoded.js";
import { parseJson, printJson, treeOf } from "./json.js";

const parse = (text: string) => parseJson(Buffer.from(text));

function problemOf(text: string): string | undefined {
  const read = parse(text);
  return read.ok ? undefined : read.problem;
}

function sound(text: string): unknown {
  const read = parse(text);
  assert.ok(read.ok, text);
  return read.value;
}

test("bad texts are refused with the first mistake named", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["", "unexpected end of JSON input"],
    ["  ", "unexpected end of JSON input"],
    ["{", "unexpected end of JSON input"],
    ['{"a":', "unexpected end of JSON input"],
    ['{"a', "unexpected end of JSON input"],
    ["[1,", "unexpected end of JSON input"],
    ["{bad", "invalid character 'b' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["[1}", "invalid character '}' after array element"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ["{} x", "invalid character 'x' after top-level value"],
    ["{}{}", "invalid character '{' after top-level value"],
    ["\ufeff{}", "invalid character '\ufeff' looking for beginning of value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ["nul", "unexpected end of JSON input"],
    ["nulx", "invalid character 'x' in literal null (expecting 'l')"],
    ["01", "invalid character '1' after top-level value"],
    ["-", "unexpected end of JSON input"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1e+", "unexpected end of JSON input"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['{"a":[{"b":1e400}]}', "number 1e400 is out of range (a[0].b)"],
    ['{"n":9223372036854775808}', "integer 9223372036854775808 is outside ±2^63 and could not be kept exactly (n)"],
    ["-9223372036854775809", "integer -9223372036854775809 is outside ±2^63 and could not be kept exactly"],
    [`1${"0".repeat(300)}`, `integer 1${"0".repeat(39)}… is outside ±2^63 and could not be kept exactly`],
  ];
  for (const [text, problem] of rows) assert.equal(problemOf(text), problem, text);
});

test("integers of 64 bits are exact, bare and below anything, in printed texts too", () => {
  const texts = ["9007199254740992", "-9007199254740993", "9223372036854775807", "-9223372036854775808"];
  for (const text of texts) {
    assert.equal(sound(text), BigInt(text));
    const whole = `{"a":[1,{"b":${text},"__proto__":${text}},${text}],"c":"${text}","d":${text}}`;
    const tree = sound(whole);
    assert.equal(jsonText(tree), whole);
    assert.deepEqual(treeOf(Buffer.from(whole)), tree);
  }
  // A number of such size that is no integer's text is the integer that its double is.
  assert.equal(sound("1e17"), 10n ** 17n);
  assert.equal(sound("9007199254740993.0"), 2n ** 53n);
  assert.equal(sound("1e30"), 1e30);
});

test("a double beyond 64 bits does not keep the integers behind it from being exact", () => {
  const text = `{"a":100000000000000000000,"b":${2n ** 53n + 1n}}`;
  const tree = { a: 1e20, b: 2n ** 53n + 1n };
  assert.deepEqual(treeOf(Buffer.from(text)), tree);
  assert.deepEqual(sound(text), tree);
});

test("of a repeated key the last number counts, exactly", () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ['{"a":9007199254740993,"a":5}', { a: 5 }],
    ['{"a":5,"a":9007199254740993}', { a: 2n ** 53n + 1n }],
    ['{"a":9007199254740993,"a":9007199254740992}', { a: 2n ** 53n }],
    ['{"a":9007199254740992,"a":9007199254740993}', { a: 2n ** 53n + 1n }],
    ['{"a":{"b":9007199254740993},"a":{"b":1}}', { a: { b: 1 } }],
    ['{"a":[9007199254740993],"a":{"0":1}}', { a: { 0: 1 } }],
    ['{"a":{"b":9007199254740993},"a":"x"}', { a: "x" }],
  ];
  for (const [text, value] of rows) assert.deepEqual(sound(text), value, text);
});

test("whole numbers that are not written as integers are told, of a repeated key the last", () => {
  const floatAt = (text: string): string | undefined => {
    const read = parse(text);
    assert.ok(read.ok && typeof read.value === "object" && read.value !== null);
    return read.floats?.textAt(read.value, "a");
  };
  assert.equal(floatAt('{"a":1.0}'), "1.0");
  assert.equal(floatAt('{"a":1e2}'), "1e2");
  assert.equal(floatAt('{"a":-0.0}'), "-0.0");
  assert.equal(floatAt('{"a":1.5}'), undefined);
  assert.equal(floatAt('{"a":1}'), undefined);
  assert.equal(floatAt('{"a":1.0,"a":1}'), undefined);
  assert.equal(floatAt('{"a":1,"a":1.0}'), "1.0");
});

test("numbers that a double holds are kept", () => {
  for (const text of [
    "9007199254740991",
    "-9007199254740991",
    "1e3",
    "0.1234567890123456789",
    "1234567890.0",
    "1E-400",
  ]) {
    assert.equal(sound(text), Number(text));
  }
});

test("invalid UTF-8 is refused", () => {
  assert.deepEqual(parseJson(Buffer.from([0x22, 0xff, 0x22])), {
    ok: false,
    format: "json",
    problem: "invalid UTF-8 in body",
    excerpt: "22ff22",
  });
});

test("nesting is refused at the limit before a tree is built", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.equal(problemOf(nested(512)), undefined);
  assert.equal(problemOf(nested(513)), "exceeded max depth of 512");
  assert.equal(problemOf("[".repeat(3 << 20)), "exceeded max depth of 512");
  assert.equal(problemOf(`{"a":"${"[".repeat(5000)}"}`), undefined);
});

test("the whole text of a 400 is the reference's", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["{bad", "invalid character 'b' looking for beginning of object key string ({bad)"],
    ["", "unexpected end of JSON input (<empty>)"],
    ["xyz", "invalid character 'x' looking for beginning of value (78797a)"],
    [`{"a":"${"b".repeat(40)}`, `unexpected end of JSON input ({"a":"${"b".repeat(24)} ...)`],
  ];
  for (const [text, tail] of rows) {
    const read = parse(text);
    assert.ok(!read.ok);
    const error = unrecognizedBody("ConfigMap", read);
    assert.equal(
      error.message,
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ${tail}`,
    );
    assert.equal(error.code, 400);
  }
});

test("repeated keys are named by their paths and the last one wins", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['{"metadata":{"name":"fv"},"data":{"a":"1","a":"2"},"spec":{"x":1},"spec":2}', ["data.a", "spec"]],
    ['{"spec":{"containers":[{"image":"a","image":"b"},{"image":"c"}]}}', ["spec.containers[0].image"]],
    ['{"a":1,"\\u0061":2,"a":3}', ["a"]],
    ['[{"a":1},{"a":2},[{"b":1,"b":1}]]', ["[2][0].b"]],
    ['{"a:b":":","c\\"":"\\\\","d":"\\":"}', []],
    ['{"__proto__":{"x":1},"__proto__":{"y":1}}', ["__proto__"]],
  ];
  for (const [text, duplicates] of rows) {
    const read = parse(text);
    assert.ok(read.ok);
    assert.deepEqual(read.duplicates, duplicates, text);
    assert.deepEqual(read.value, JSON.parse(text));
  }
});

test("a body of nothing but repeated keys names the first hundred", () => {
  const pairs = Array.from({ length: 5000 }, (_, i) => `"k${i >> 1}":1`);
  const read = parse(`{${pairs.join(",")}}`);
  assert.ok(read.ok);
  assert.equal(read.duplicates.length, 100);
});

test("__proto__ is an own key and pollutes nothing", () => {
  const read = parse('{"__proto__":{"polluted":true}}');
  assert.ok(read.ok && typeof read.value === "object" && read.value !== null);
  assert.ok(Object.hasOwn(read.value, "__proto__"));
  assert.equal("polluted" in read.value, false);
  assert.equal("polluted" in {}, false);
});

// Integers of more than 64 bits are refused by design, shorter ones come back exact; everything else must survive.
const safeJson = fc
  .jsonValue({ noUnicodeString: false, maxDepth: 6 })
  .filter((value) => !/(?<![\d.])\d{16,}(?![\d.])/.test(JSON.stringify(value)));

test("what was printed reads back the same", () => {
  fc.assert(
    fc.property(safeJson, fc.boolean(), (value, pretty) => {
      const read = parse(printJson(value, { pretty }));
      assert.ok(read.ok);
      assert.deepEqual([read.value, read.duplicates], [JSON.parse(JSON.stringify(value)), []]);
    }),
  );
});

interface Node {
  readonly text: string;
  readonly duplicates: (path: string) => readonly string[];
}

// A generator of texts with repeated keys that knows its duplicates by construction.
const { tree } = fc.letrec<{ tree: Node }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("1", '"x:\\""', '"{\\\\"', "null", "[]", "{}", "-0.5e2").map((text) => ({
      text,
      duplicates: () => [],
    })),
    fc.array(tie("tree"), { maxLength: 4 }).map((items) => ({
      text: `[ ${items.map((i) => i.text).join(" ,")}]`,
      duplicates: (path: string) => items.flatMap((item, i) => item.duplicates(`${path}[${i}]`)),
    })),
    fc.array(fc.tuple(fc.constantFrom("a", "b", "c:", '\\"', "\\\\"), tie("tree")), { maxLength: 4 }).map((pairs) => ({
      text: `{${pairs.map(([k, v]) => `"${k}" : ${v.text}`).join(",")} }`,
      duplicates: (path: string) =>
        pairs.flatMap(([raw, v], i) => {
          const key = String(JSON.parse(`"${raw}"`));
          const here = path === "" ? key : `${path}.${key}`;
          const seen = pairs.slice(0, i).some(([k]) => k === raw);
          return [...(seen ? [here] : []), ...v.duplicates(here)];
        }),
    })),
  ),
}));

test("fast detection of repeated keys agrees with the slow reference", () => {
  fc.assert(
    fc.property(tree, (node) => {
      const read = parse(node.text);
      assert.ok(read.ok);
      assert.deepEqual(new Set(read.duplicates), new Set(node.duplicates("")));
    }),
    { numRuns: 500 },
  );
});

test("a text is refused exactly where JSON.parse refuses it, and always with a reason", () => {
  const mutated = fc.tuple(tree, fc.nat(), fc.constantFrom("", "}", "]", ",", ":", '"', "\\", "x", "e", "-", " "));
  fc.assert(
    fc.property(mutated, ([node, at, insert]) => {
      const cut = at % (node.text.length + 1);
      const text = node.text.slice(0, cut) + insert + node.text.slice(cut + 1);
      let sound = true;
      try {
        JSON.parse(text);
      } catch {
        sound = false;
      }
      const problem = problemOf(text);
      assert.equal(problem === undefined, sound, text);
      assert.notEqual(problem, "invalid JSON", text);
    }),
    { numRuns: 1000 },
  );
});
