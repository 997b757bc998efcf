import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readDocument, splitDocuments } from "./configuration-document.js";

const splits: readonly (readonly [text: string, documents: readonly string[]])[] = [
  ["", []],
  ["# nothing\n---\n# nothing\n", []],
  ["a: 1", ["a: 1"]],
  ["---\na: 1\n---\nb: 2\n", ["\na: 1", "\nb: 2\n"]],
  ["--- {a: 1}\n---\t# b\nb: 2", [" {a: 1}", "\t# b\nb: 2"]],
  ["a: |\n  ---\n  x\n", ["a: |\n  ---\n  x\n"]],
  ["a: 1\r\n---\r\nb: 2\r\n", ["a: 1\r", "\r\nb: 2\r\n"]],
  ["----\na: 1", ["----\na: 1"]],
  ["a: 1\n...\n---\nb: 2", ["a: 1\n...", "\nb: 2"]],
];
for (const [text, documents] of splits) {
  test(`documents of ${JSON.stringify(text)}`, () => assert.deepEqual(splitDocuments(text), documents));
}

test("very many documents are refused", () => {
  const texts = splitDocuments("a: 1\n---\n".repeat(1_000));
  assert.equal(texts.length, 101);
  assert.deepEqual(readDocument(texts.at(-1) ?? ""), {
    ok: false,
    problem: "yaml: more than one document in the body",
  });
});

test("a document says its version and its kind", () => {
  const rows: readonly (readonly [text: string, says: string])[] = [
    ["", "Object 'Kind' is missing in ''"],
    ["apiVersion: v1", "Object 'Kind' is missing in 'apiVersion: v1'"],
    ["kind: A", "Object 'apiVersion' is missing in 'kind: A'"],
    ["kind: 1\napiVersion: v1", "Object 'Kind' is missing in 'kind: 1\napiVersion: v1'"],
    ["- a", "couldn't get version/kind: the file must be an object"],
  ];
  for (const [text, says] of rows) assert.deepEqual(readDocument(text), { ok: false, problem: says });
});

test("JSON and YAML say the same, fields that stand there twice are told", () => {
  const yaml = readDocument("apiVersion: v1\nkind: A\nx: 1\nx: 2\n");
  const json = readDocument('{"apiVersion": "v1", "kind": "A", "x": 1, "x": 2}');
  assert.deepEqual(yaml, json);
  assert.deepEqual(yaml.ok ? yaml.document.problems : [], ['key "x" already set in map']);
});

test("no text makes it throw", () => {
  fc.assert(fc.property(fc.string(), (text) => void splitDocuments(text).map(readDocument)));
});
