import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLinear } from "@orch/status/testing/growth.js";
import { parseCbor } from "./cbor/parse.js";
import { parseJson } from "./json.js";
import { parseYaml } from "./yaml/yaml.js";

const long = "k".repeat(200_000);

test("a key that is repeated below one of a huge name costs as much as it is long", () => {
  const repeated = (n: number): string => Array.from({ length: n }, () => '"a":1').join(",");
  assertLinear(8000, (n) => {
    const body = Buffer.from(`{"${long}":{${repeated(n)}}}`);
    return () => assert.ok(parseJson(body).ok);
  });
  // A JSON text that is no JSON (a comment) is read as YAML.
  assertLinear(8000, (n) => {
    const body = Buffer.from(`{"${long}":{${repeated(n)}}} # end`);
    return () => assert.ok(parseYaml(body).ok);
  });
});

test("objects that are replaced by repeated keys, each with repeated keys of its own, are looked at a thousand times", () => {
  assertLinear(8000, (n) => {
    const body = Buffer.from(`{"${long}":{${Array.from({ length: n }, () => '"x":{"b":1,"b":2}').join(",")}}}`);
    return () => {
      const read = parseJson(body);
      assert.ok(read.ok);
      assert.deepEqual(
        read.duplicates.map((path) => path.length),
        [1025],
      );
    };
  });
});

test("every encoding tells a repeated key once, by its path", () => {
  const cbor = Buffer.from([0xa1, 0x61, 0x61, 0xa3, 0x61, 0x62, 1, 0x61, 0x62, 2, 0x61, 0x62, 3]);
  const repeated = { ok: true, value: { a: { b: 3 } }, duplicates: ["a.b"] };
  assert.deepEqual(parseJson(Buffer.from('{"a":{"b":1,"b":2,"b":3}}')), repeated);
  assert.deepEqual(parseCbor(cbor), repeated);
  const repeatedLines = [3, 4].map((line) => `line ${line}: key "b" already set in map`);
  assert.deepEqual(parseYaml(Buffer.from("a:\n  b: 1\n  b: 2\n  b: 3\n")), { ...repeated, repeatedLines });
});
