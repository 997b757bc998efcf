import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Field,
  field,
  type JsonObject,
  type MessageType,
  message,
  type ScalarKind,
  type Type,
} from "@orch/schema/descriptor.js";
import fc from "fast-check";
import { objectOf } from "../json.js";
import { texts } from "../testing/json-trees.js";
import { pod, podType } from "../testing/pod.js";
import { encodeMessage } from "./encode.js";
import { encodeJson, encodeJsonMember } from "./from-json.js";

const string: Type = { kind: "string" };
const scalar = (kind: ScalarKind): Type => ({ kind });
const listOf = (item: Type, wrapped = false): Type => ({ kind: "list", item, listType: "atomic", keys: [], wrapped });
const mapOf = (value: Type): Type => ({ kind: "map", value, mapType: "granular" });
const inlined = message({ name: "Inlined", fields: () => [field({ name: "deep", number: 1, type: string })] });
const type: MessageType = message({
  name: "T",
  fields: () => [
    field({ name: "text", number: 3, type: string }),
    field({ name: "pointed", number: 1, type: string, pointer: true }),
    field({ name: "child", number: 2, type, pointer: true }),
    field({ name: "always", number: 7, type: inlined }),
    field({ name: "children", number: 9, type: listOf(type) }),
    field({ name: "", number: 4, type: inlined, inline: true }),
    field({ name: "texts", number: 5, type: mapOf(string) }),
    field({ name: "wrapped", number: 6, type: listOf(string, true) }),
    field({ name: "unsent", type: string }),
    ...scalars.map((kind, i): Field => field({ name: kind, number: 20 + i, type: scalar(kind), pointer: true })),
  ],
});
const scalars = [
  ...(["bool", "int32", "int64", "double", "bytes", "any", "time", "microTime", "duration", "quantity"] as const),
  ...(["intOrString", "raw", "fieldsV1"] as const),
];

function assertSame(text: string): void {
  const bytes = Buffer.from(text);
  assert.equal(encodeJson(type, bytes).toString("hex"), encodeMessage(type, objectOf(bytes)).toString("hex"), text);
}

const long = "é".repeat(500);
const rows: readonly (readonly [what: string, text: string])[] = [
  ["nothing", "{}"],
  ["texts short and long, plain and escaped", `{"text":"a\\n\\u00e9\\"","pointed":${JSON.stringify(`${long}\\"`)}}`],
  ["a text whose escape stands behind its first bytes", `{"text":"${"x".repeat(60)}\\\\","pointed":"y"}`],
  ["a name with an escape", '{"te\\u0078t":"a","texts":{"\\"":"b"}}'],
  ["a name that stands twice: the last counts", '{"text":"a","text":"b","texts":{"k":"1","k":"2"}}'],
  ["names in another order, and unknown ones", '{"unknown":{"text":"b"},"texts":{"b":"1","a":"2"},"text":"a"}'],
  ["names that begin with one another", '{"tex":"1","texts2":"2","text":"a","texts":{"aa":"","a":"","":""}}'],
  [
    "null is absence, in lists and maps too",
    '{"text":null,"child":null,"children":[null,{}],"texts":{"a":null},"wrapped":null}',
  ],
  [
    "many keys",
    JSON.stringify({ texts: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, `${i}`])) }),
  ],
  ["keys beyond ASCII", '{"texts":{"\u{1f600}":"a","\uffff":"b","é":"c","z":"d"}}'],
  ["inline fields", '{"deep":"a","children":[{"deep":"b"}]}'],
  [
    "a child that is absent, below one that is not",
    '{"children":[{"child":{"text":"x"}},{}],"text":"","children":[{"always":{"deep":"a"}},{"always":null}]}',
  ],
  [
    "integers",
    '{"int32":-5,"int64":9223372036854775807,"children":[{"int64":123456789012345},{"int64":-1},{"int64":0}]}',
  ],
  ["numbers", '{"double":1.5e3,"intOrString":80,"children":[{"intOrString":"80%"},{"double":-0}]}'],
  ["doubles that are long integers", '{"double":9007199254740992,"children":[{"double":-9223372036854775808}]}'],
  ["booleans", '{"bool":true,"children":[{"bool":false}]}'],
  ["base64", '{"bytes":"AAH/","children":[{"bytes":""}]}'],
  ["a time", '{"time":"2026-01-02T03:04:05Z","microTime":"2026-01-02T03:04:05.000006Z"}'],
  [
    "no time, and times that calendars disagree about",
    `{"children":[${["0001-01-01", "0099-12-31", "2024-02-29", "1969-12-31", "9999-12-31"].map((day) => `{"time":"${day}T23:59:59Z"}`).join()}]}`,
  ],
  [
    "the last day of each month",
    `{"children":[${["01-31", "02-28", "03-31", "04-30", "05-31", "06-30", "07-31", "08-31", "09-30", "10-31", "11-30", "12-31"].map((day) => `{"time":"2026-${day}T23:59:59Z"}`).join()}]}`,
  ],
  ["days that no month has", '{"children":[{"time":"2026-02-29T00:00:00Z"},{"time":"2026-04-31T00:00:00Z"}]}'],
  ["the time that means none", '{"time":"0001-01-01T00:00:00Z"}'],
  ["durations and quantities", '{"duration":"1h2m","quantity":"100m","children":[{"quantity":""}]}'],
  ["values that are kept as they are", '{"raw":{"a":[1,"b",null]},"any":"x","fieldsV1":{"f:a":{"k:{\\"b\\":1}":{}}}}'],
  ["space between the tokens", ' { "text" : "a" ,\n"child":\t{ } , "children":[ { } ] }\n'],
];
for (const [what, text] of rows) test(`${what}: the bytes that the tree gives`, () => assertSame(text));

test("a whole pod is what its tree is", () => {
  const bytes = Buffer.from(JSON.stringify(pod));
  assert.deepEqual(encodeJson(podType, bytes), encodeMessage(podType, pod));
});

test("a member alone is the object that has only it", () => {
  const metadata = { name: "a", labels: { b: "1", a: "2" } };
  const partial = message({ name: "Partial", fields: () => podType.fields.filter(({ name }) => name === "metadata") });
  const made = (text: string): Buffer => encodeJsonMember(partial, "metadata", Buffer.from(text));
  assert.deepEqual(made(JSON.stringify(metadata)), encodeMessage(partial, { metadata }));
  assert.deepEqual(made('{"\\u006eame":"a"}'), encodeMessage(partial, { metadata: { name: "a" } }));
  assert.throws(() => encodeJsonMember(podType, "metadata", Buffer.from("{}")), TypeError);
});

const tree: fc.Arbitrary<JsonObject> = fc.letrec<{ tree: JsonObject }>((tie) => ({
  tree: fc.record(
    {
      text: texts,
      pointed: texts,
      child: tie("tree"),
      children: fc.array(tie("tree"), { maxLength: 2 }),
      texts: fc.dictionary(texts, texts, { maxKeys: 40 }),
      wrapped: fc.array(texts, { maxLength: 3 }),
      deep: texts,
      int64: fc.maxSafeInteger(),
      raw: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
})).tree;

test("whatever a tree holds, its text gives the same bytes", () => {
  fc.assert(
    fc.property(tree, (value) => assertSame(JSON.stringify(value))),
    { numRuns: 300 },
  );
});

/** What a call gives or throws, in short. */
function outcome(make: () => Buffer): string {
  try {
    return make().toString("hex");
  } catch (error) {
    assert.ok(error instanceof SyntaxError || error instanceof TypeError, String(error));
    return "refused";
  }
}

test("a text that is cut off anywhere, or of another shape, is refused as its tree is", () => {
  const whole = Buffer.from(
    '{"text":"a\\"","child":{"texts":{"k":"v"}},"children":[{"int64":-12}],"raw":{"a":[1]},"bool":true}',
  );
  for (let end = 0; end < whole.length; end++) {
    assert.throws(
      () => encodeJson(type, whole.subarray(0, end)),
      (e) => e instanceof SyntaxError || e instanceof TypeError,
    );
  }
  for (const text of [
    '{"text":1}',
    '{"child":[]}',
    '{"children":{}}',
    '{"texts":[]}',
    '{"texts":{"a":1}}',
    '{"texts":{"a"}}',
    '{"text"}',
    '{"child":{"text"},"text":"a"}',
    "[]",
    '""',
    "1",
    "}",
  ]) {
    const bytes = Buffer.from(text);
    assert.equal(
      outcome(() => encodeJson(type, bytes)),
      "refused",
      text,
    );
    assert.equal(
      outcome(() => encodeMessage(type, objectOf(bytes))),
      "refused",
      text,
    );
  }
});

test("the work grows with the text alone, however deep it is or however many keys it has", () => {
  const deep = `${'{"child":'.repeat(512)}{}${"}".repeat(512)}`;
  assert.ok(encodeJson(type, Buffer.from(deep)).length > 512);
  assertSame(
    JSON.stringify({ texts: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [String(20_000 - i), ""])) }),
  );
});
