import assert from "node:assert/strict";
import { test } from "node:test";
import { createReusedMemory } from "@orch/status/chunk-memory.js";
import fc from "fast-check";
import { Document, Scalar, type Tags, visit } from "yaml";
import { jsonTrees, texts } from "../testing/json-trees.js";
import { readPlain } from "../yaml/scalar.js";
import { parseYaml, printYaml } from "../yaml/yaml.js";
import { blockYaml } from "./block-yaml.js";
import { prettyJson } from "./pretty-json.js";
import { type Rewriter, rewritten, sliceBytes, sliceMemory } from "./rewriter.js";

const layouts = { pretty: prettyJson, yaml: blockYaml } as const;

/** The new text of a text that comes in parts of so many bytes. */
function inParts(rewriter: Rewriter, text: Buffer, partBytes: number): string {
  const slices: Buffer[] = [];
  for (let at = 0; at < text.length; at += partBytes) {
    rewriter.feed(Buffer.from(text.subarray(at, at + partBytes)));
    do slices.push(rewriter.next());
    while (!rewriter.usedUp);
  }
  return Buffer.concat(slices).toString("utf8");
}

const textOf = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

test("indented JSON is what JSON.stringify makes", () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(jsonTrees), fc.dictionary(fc.string(), jsonTrees)), (value) => {
      const text = rewritten(prettyJson(), textOf(value)).toString("utf8");
      assert.equal(text, `${JSON.stringify(JSON.parse(JSON.stringify(value)), null, 2)}\n`);
    }),
    { numRuns: 500 },
  );
});

test("where the parts of a text begin and end makes no difference", () => {
  fc.assert(
    fc.property(jsonTrees, fc.integer({ min: 1, max: 9 }), (value, partBytes) => {
      for (const layout of Object.values(layouts)) {
        const whole = rewritten(layout(), textOf(value)).toString("utf8");
        assert.equal(inParts(layout(), textOf(value), partBytes), whole);
      }
    }),
    { numRuns: 300 },
  );
});

/** A second opinion: the library's printer, whose quoted strings are those of JSON. */
function libraryYaml(value: unknown): string {
  const withoutMerge = (tags: Tags): Tags =>
    tags.filter((tag) => typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:merge");
  const document = new Document(value, { version: "1.1", customTags: withoutMerge, aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && !isPlain(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false, doubleQuotedAsJSON: true });
}

function isPlain(text: string): boolean {
  const plain = readPlain(text);
  return plain.ok && plain.value === text && text !== "<<" && !text.includes("\ufeff") && !isBlank(text);
}

/** Of which the library loses spaces. */
const isBlank = (text: string): boolean => /^[ \t\n]+$/.test(text) && /[ \t]/.test(text);

test("YAML is what the library makes, byte for byte", () => {
  fc.assert(
    fc.property(fc.dictionary(texts, jsonTrees), (value) => {
      const expected: unknown = JSON.parse(JSON.stringify(value));
      assert.equal(printYaml(expected), libraryYaml(expected));
    }),
    { numRuns: 2000 },
  );
});

test("a text of spaces and newlines alone keeps them", () => {
  for (const text of [" \n", "\t\n \n", "\n \n\n", "  "]) {
    assert.deepEqual(parseYaml(Buffer.from(printYaml({ a: text }))), {
      ok: true,
      value: { a: text },
      duplicates: [],
      repeatedLines: [],
    });
  }
});

test("a quoted text of several lines keeps the spaces between them", () => {
  const text = `${"x".repeat(45)}\u0001\n \nb`;
  assert.deepEqual(parseYaml(Buffer.from(printYaml([text]))), {
    ok: true,
    value: [text],
    duplicates: [],
    repeatedLines: [],
  });
});

test("an integer that no double holds goes through as it stands", () => {
  const text = Buffer.from('{"a":9007199254740993}\n');
  assert.equal(rewritten(blockYaml(), text).toString(), "a: 9007199254740993\n");
  assert.equal(rewritten(prettyJson(), text).toString(), '{\n  "a": 9007199254740993\n}\n');
});

test("a text much longer than a slice comes in many, of about as many bytes", () => {
  const deep = Array.from({ length: 500 }).reduce<unknown>((inner) => [inner], "line\n".repeat(2000));
  const values: readonly unknown[] = [
    Array.from({ length: 50_000 }, (_, i) => ({ i, text: "abc" })),
    { block: "some line of text\n".repeat(100_000), line: "x".repeat(500_000), quoted: "\u0001".repeat(50_000) },
    deep,
  ];
  for (const layout of Object.values(layouts)) {
    for (const value of values) {
      const rewriter = layout();
      rewriter.feed(textOf(value));
      const sizes: number[] = [];
      do sizes.push(rewriter.next().length);
      while (!rewriter.usedUp);
      assert.ok(Math.max(...sizes) <= 2 * sliceBytes, `${Math.max(...sizes)}`);
      assert.ok(sizes.length > 5 || value === deep);
    }
  }
});

test("memory that is given back is used again", () => {
  const memory = createReusedMemory({ pieceBytes: sliceMemory, maxBytes: 4 * sliceMemory });
  const seen = new Set<unknown>();
  const rewriter = blockYaml(memory);
  rewriter.feed(textOf(Array.from({ length: 100_000 }, (_, i) => `item ${i}`)));
  do {
    const slice = rewriter.next();
    seen.add(slice.buffer);
    memory.giveBack(slice);
  } while (!rewriter.usedUp);
  assert.equal(seen.size, 1);
});
