import assert from "node:assert/strict";
import { test } from "node:test";
import {
  any,
  choice,
  either,
  encode,
  flag,
  inside,
  integer,
  listOf,
  messageOf,
  named,
  number,
  type Shape,
  text,
} from "./protobuf.js";
import { documentV2 } from "./v2-messages.js";
import { documentV3 } from "./v3-messages.js";

const rows: readonly (readonly [about: string, value: unknown, shape: Shape, hex: string])[] = [
  ["a text", { a: "xy" }, messageOf(() => ({ a: [1, text] })), "0a027879"],
  ["a number of a field above 15", { a: "x" }, messageOf(() => ({ a: [16, text] })), "82010178"],
  ["a length above 127", { a: "x".repeat(128) }, messageOf(() => ({ a: [1, text] })), `0a8001${"78".repeat(128)}`],
  ["UTF-8", { a: "ä" }, messageOf(() => ({ a: [1, text] })), "0a02c3a4"],
  ["a flag that is set", { a: true }, messageOf(() => ({ a: [4, flag] })), "2001"],
  ["a flag that is not", { a: false }, messageOf(() => ({ a: [4, flag] })), ""],
  ["a choice that is false", { a: false }, messageOf(() => ({ a: [1, inside(2, choice)] })), "0a021000"],
  ["a double", { a: 1 }, messageOf(() => ({ a: [1, number] })), "09000000000000f03f"],
  ["an integer", { a: 300 }, messageOf(() => ({ a: [1, integer] })), "08ac02"],
  ["an integer below zero", { a: -1 }, messageOf(() => ({ a: [1, integer] })), "08ffffffffffffffffff01"],
  ["a list", { a: ["x", "y"] }, messageOf(() => ({ a: [1, listOf(text)] })), "0a01780a0179"],
  ["named values", { k: "v" }, named(text), "0a060a016b120176"],
  ["any value, as its text", { a: [1] }, messageOf(() => ({ a: [1, any] })), "0a0612045b315d0a"],
  ["an extension", { "x-a": 1 }, messageOf(() => ({}), 3), "1a0b0a03782d61120412023 10a".replace(" ", "")],
  ["nothing where no shape is chosen", { a: {} }, messageOf(() => ({ a: [1, either(() => undefined)] })), ""],
];

for (const [about, value, shape, hex] of rows) {
  test(`${about} is written`, () => assert.equal(Buffer.from(encode(value, shape)).toString("hex"), hex));
}

test("a key that has no number is refused", () => {
  for (const shape of [documentV2, documentV3, messageOf(() => ({ a: [1, text] }))])
    assert.throws(() => encode({ toString: "x" }, shape), TypeError);
});

test("a small document of version 2", () => {
  const document = {
    swagger: "2.0",
    paths: { "/a": { get: { responses: { 200: { description: "OK", schema: { $ref: "#/definitions/A" } } } } } },
  };
  const levels = [
    "0a03322e30 4230", // swagger; paths
    "122e 0a022f61 1228", // one of them: its name and value
    "1226 4a24 0a22 0a03323030 121b", // get, its responses, the one for 200
    "0a19 0a024f4b 1213 0a11 0a0f232f646566696e6974696f6e732f41", // its description and schema
  ];
  assert.equal(Buffer.from(encode(document, documentV2)).toString("hex"), levels.join("").replaceAll(" ", ""));
});
