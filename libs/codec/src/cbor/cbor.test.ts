import assert from "node:assert/strict";
import { test } from "node:test";
import { isObject } from "@orch/schema/descriptor.js";
import { Decoder } from "cbor-x";
import fc from "fast-check";
import { maxDepth } from "../decoded.js";
import { treeOf } from "../json.js";
import { parseCbor } from "./parse.js";
import { cborWatchEvent, printCbor } from "./print.js";

const hex = (text: string): Buffer => Buffer.from(text, "hex");

function parsed(bytes: Buffer): unknown {
  const read = parseCbor(bytes);
  return read.ok ? read.value : `! ${read.problem}`;
}

/** RFC 8949, Appendix A: what each example is, or why it is refused. */
const appendixA: readonly (readonly [hex: string, value: unknown])[] = [
  ["00", 0],
  ["01", 1],
  ["0a", 10],
  ["17", 23],
  ["1818", 24],
  ["1819", 25],
  ["1864", 100],
  ["1903e8", 1000],
  ["1a000f4240", 1_000_000],
  ["1b000000e8d4a51000", 1_000_000_000_000],
  ["1bffffffffffffffff", "! integer 18446744073709551615 is outside ±2^63 and could not be kept exactly"],
  ["c249010000000000000000", "! tag 2 is not supported"],
  ["3bffffffffffffffff", "! integer -18446744073709551616 is outside ±2^63 and could not be kept exactly"],
  ["c349010000000000000000", "! tag 3 is not supported"],
  ["20", -1],
  ["29", -10],
  ["3863", -100],
  ["3903e7", -1000],
  ["f90000", 0],
  ["f98000", -0],
  ["f93c00", 1],
  ["fb3ff199999999999a", 1.1],
  ["f93e00", 1.5],
  ["f97bff", 65504],
  ["fa47c35000", 100_000],
  ["fa7f7fffff", 3.4028234663852886e38],
  ["fb7e37e43c8800759c", 1e300],
  ["f90001", 2 ** -24],
  ["f90400", 0.00006103515625],
  ["f9c400", -4],
  ["fbc010666666666666", -4.1],
  ["f97c00", "! number Infinity is out of range"],
  ["f97e00", "! number NaN is out of range"],
  ["f9fc00", "! number -Infinity is out of range"],
  ["fa7f800000", "! number Infinity is out of range"],
  ["fa7fc00000", "! number NaN is out of range"],
  ["fbfff0000000000000", "! number -Infinity is out of range"],
  ["f4", false],
  ["f5", true],
  ["f6", null],
  ["f7", "! simple value 23 is not supported"],
  ["f0", "! simple value 16 is not supported"],
  ["f8ff", "! simple value 24 is not supported"],
  ["c074323031332d30332d32315432303a30343a30305a", "! tag 0 is not supported"],
  ["c11a514b67b0", "! tag 1 is not supported"],
  ["d74401020304", "01020304"],
  ["d818456449455446", "! tag 24 is not supported"],
  ["d82076687474703a2f2f7777772e6578616d706c652e636f6d", "! tag 32 is not supported"],
  ["40", ""],
  ["4401020304", "\u0001\u0002\u0003\u0004"],
  ["60", ""],
  ["6161", "a"],
  ["6449455446", "IETF"],
  ["62225c", '"\\'],
  ["62c3bc", "ü"],
  ["63e6b0b4", "水"],
  ["64f0908591", "𐅑"],
  ["80", []],
  ["83010203", [1, 2, 3]],
  ["8301820203820405", [1, [2, 3], [4, 5]]],
  ["98190102030405060708090a0b0c0d0e0f101112131415161718181819", Array.from({ length: 25 }, (_, i) => i + 1)],
  ["a0", {}],
  ["a201020304", "! keys of maps must be strings"],
  ["a26161016162820203", { a: 1, b: [2, 3] }],
  ["826161a161626163", ["a", { b: "c" }]],
  ["a56161614161626142616361436164614461656145", { a: "A", b: "B", c: "C", d: "D", e: "E" }],
  ["5f42010243030405ff", "! strings of indefinite length are not supported"],
  ["7f657374726561646d696e67ff", "! strings of indefinite length are not supported"],
  ["9fff", []],
  ["9f018202039f0405ffff", [1, [2, 3], [4, 5]]],
  ["83018202039f0405ff", [1, [2, 3], [4, 5]]],
  ["bf61610161629f0203ffff", { a: 1, b: [2, 3] }],
  ["826161bf61626163ff", ["a", { b: "c" }]],
  ["bf6346756ef563416d7421ff", { Fun: true, Amt: -2 }],
];

for (const [text, value] of appendixA) {
  test(`RFC 8949 Appendix A: ${text}`, () => assert.deepEqual(parsed(hex(text)), value));
}

test("what the reference writes is read: byte strings as text, tags for what becomes Base64 or hex", () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ["d9d9f7a1446b696e6443506f64", { kind: "Pod" }],
    ["d9d9f7a1616bd9d9f743506f64", { k: "Pod" }],
    ["d5430102ff", "AQL_"],
    ["d6430102ff", "AQL/"],
    ["d641ff", "/w=="],
    ["d7430102ff", "0102ff"],
    ["d6824101d74102", ["AQ==", "02"]],
    ["82d641014161", ["AQ==", "a"]],
    ["d6a1416141ff", { a: "/w==" }],
    ["d66161", "a"],
    ["a1695f5f70726f746f5f5f01", JSON.parse('{"__proto__":1}')],
    ["1b001fffffffffffff", Number.MAX_SAFE_INTEGER],
    ["3b001ffffffffffffe", -Number.MAX_SAFE_INTEGER],
    ["1b0000000000000001", 1],
  ];
  for (const [text, value] of rows) assert.deepEqual(parsed(hex(text)), value, text);
});

test("bodies that are no sound CBOR are refused by name", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["", "unexpected end of data"],
    ["61", "unexpected end of data"],
    ["19ff", "unexpected end of data"],
    ["7affffffff00", "unexpected end of data"],
    ["7bffffffffffffffff00", "unexpected end of data"],
    ["9affffffff00", "unexpected end of data"],
    ["bbffffffffffffffff00", "unexpected end of data"],
    ["a16161", "unexpected end of data"],
    ["9f01", "unexpected end of data"],
    ["0000", "1 bytes of extraneous data after the item"],
    ["ff", 'unexpected "break"'],
    ["81ff", 'unexpected "break"'],
    ["bf6161ff", 'unexpected "break"'],
    ["1c", "invalid additional information 28"],
    ["1f", "invalid additional information 31"],
    ["df00", "invalid additional information 31"],
    ["61ff", "invalid UTF-8 in a string"],
    ["41ff", "invalid UTF-8 in a string"],
    ["a141ff00", "invalid UTF-8 in a string"],
    ["a1f600", "keys of maps must be strings"],
    ["a1d6416100", "keys of maps must be strings"],
    ["1b8000000000000000", "integer 9223372036854775808 is outside ±2^63 and could not be kept exactly"],
    ["3b8000000000000000", "integer -9223372036854775809 is outside ±2^63 and could not be kept exactly"],
  ];
  for (const [text, problem] of rows) {
    const read = parseCbor(hex(text));
    assert.equal(read.ok ? undefined : read.problem, problem, text);
    assert.equal(read.ok ? undefined : read.format, "cbor");
  }
});

test("nesting ends at the limit, of tags too", () => {
  for (const [opening, least] of [
    ["81", 1],
    ["9f", 0],
    ["a16161", 1],
    ["d9d9f7", 1],
  ] as const) {
    const nested = (depth: number): Buffer =>
      hex(opening.repeat(depth) + (least === 0 ? `00${"ff".repeat(depth)}` : "00"));
    assert.equal(parseCbor(nested(maxDepth)).ok, true, opening);
    for (const depth of [maxDepth + 1, 500_000]) {
      assert.equal(parsed(nested(depth)), `! exceeded max depth of ${maxDepth}`, opening);
    }
  }
});

test("repeated keys are reported with their paths, the last one wins", () => {
  const read = parseCbor(hex("a2616181a3616201616202616303616181a3616401416402616403"));
  assert.deepEqual(read, { ok: true, value: { a: [{ d: 3 }] }, duplicates: ["a[0].b", "a", "a[0].d"] });
});

test("values are printed in their shortest form, keys in the order of their encoding", () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [null, "f6"],
    [[true, false, undefined], "83f5f4f6"],
    [{ bb: 1, a: 2, c: undefined, "": 3 }, "a3600361610262626201"],
    [{ ä: 1, z: 2, aa: 3, zzz: 4 }, "a4617a026261610362c3a401637a7a7a04"],
    [0, "00"],
    [-0, "00"],
    [23, "17"],
    [24, "1818"],
    [255, "18ff"],
    [256, "190100"],
    [65_535, "19ffff"],
    [65_536, "1a00010000"],
    [2 ** 32 - 1, "1affffffff"],
    [2 ** 32, "1b0000000100000000"],
    [Number.MAX_SAFE_INTEGER, "1b001fffffffffffff"],
    [-(2 ** 32), "3affffffff"],
    [-(2 ** 32) - 1, "3b0000000100000000"],
    [1.5, "f93e00"],
    [2 ** -24, "f90001"],
    [0.00006103515625, "f90400"],
    [-1.5, "f9be00"],
    [2049.5, "fa45001800"],
    [1.1, "fb3ff199999999999a"],
    [1e300, "fb7e37e43c8800759c"],
    ["水", "63e6b0b4"],
    ["x".repeat(256), `790100${"78".repeat(256)}`],
    [JSON.parse('{"__proto__":{}}'), "a1695f5f70726f746f5f5fa0"],
  ];
  for (const [value, text] of rows) assert.equal(printCbor(value).toString("hex"), `d9d9f7${text}`);
});

test("strings are printed as byte strings where the reference's clients are to read them", () => {
  const bytes = printCbor({ kind: "Pod" }, { strings: "bytes" });
  assert.equal(bytes.toString("hex"), "d9d9f7a1446b696e6443506f64");
  const event = cborWatchEvent("ADDED", bytes, { strings: "bytes" });
  assert.equal(event.toString("hex"), `d9d9f7a24474797065454144444544466f626a656374${bytes.toString("hex")}`);
  assert.deepEqual(parsed(event), { type: "ADDED", object: { kind: "Pod" } });
});

test("an event of a watch is one self-described item around another", () => {
  const event = cborWatchEvent("ADDED", printCbor({ kind: "Pod" }));
  assert.equal(event.toString("hex"), "d9d9f7a26474797065654144444544666f626a656374d9d9f7a1646b696e6463506f64");
  assert.deepEqual(parsed(event), { type: "ADDED", object: { kind: "Pod" } });
});

const tree = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });

test("every JSON tree comes back as it went, and another reader sees the same", () => {
  const foreign = new Decoder({ useRecords: false, mapsAsObjects: true });
  fc.assert(
    fc.property(tree, (value) => {
      const json = JSON.stringify(value);
      const bytes = printCbor(treeOf(Buffer.from(json)));
      const read = parseCbor(bytes);
      // Whole numbers of such size that a double is not sure of them come back exact.
      assert.deepEqual(read.ok && read.value, treeOf(Buffer.from(json)));
      if (!json.includes("__proto__")) {
        // The other reader gives 64-bit integers as BigInt.
        const plain = JSON.stringify(foreign.decode(bytes), (_, v) => (typeof v === "bigint" ? Number(v) : v));
        assert.deepEqual(JSON.parse(plain), JSON.parse(json));
      }
    }),
  );
});

test("bytes from anywhere never end the process", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const read = parseCbor(Buffer.from(bytes));
      assert.equal(typeof (read.ok ? "" : read.problem), "string");
    }),
    { numRuns: 2000 },
  );
});

test("integers of 64 bits are exact, and floats that are whole are told apart", () => {
  for (const value of [2n ** 53n, 2n ** 63n - 1n, -(2n ** 53n), -(2n ** 63n)]) {
    const read = parseCbor(printCbor({ a: value, list: [value] }));
    assert.ok(read.ok && read.floats === undefined);
    assert.deepEqual(read.value, { a: value, list: [value] });
  }
  // {"a": 1.0 as a half float, "b": [1.5, 2.0 as a double]}
  const read = parseCbor(hex("a26161f93c00616282f93e00fb4000000000000000"));
  assert.ok(read.ok && isObject(read.value) && Array.isArray(read.value["b"]));
  assert.deepEqual(read.value, { a: 1, b: [1.5, 2] });
  assert.equal(read.floats?.textAt(read.value, "a"), "1.0");
  assert.equal(read.floats?.textAt(read.value["b"], 0), undefined);
  assert.equal(read.floats?.textAt(read.value["b"], 1), "2.0");
});
