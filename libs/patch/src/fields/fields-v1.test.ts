import assert from "node:assert/strict";
import { test } from "node:test";
import { readVectors } from "../testing/vectors.js";
import { leaves, paths, sorted } from "./field-set.js";
import { readFieldSet } from "./fields-v1.js";
import { showPathElement } from "./path-element.js";

interface Row {
  readonly text: string;
  /** What the reference prints of it; absent where it refuses. */
  readonly printed?: string;
  readonly paths?: readonly string[];
  readonly leaves?: readonly string[];
}

for (const row of readVectors<Row>("fields")) {
  test(`as the reference reads ${row.text}`, () => {
    const read = readFieldSet(JSON.parse(row.text));
    if (row.printed === undefined) {
      assert.ok("wrong" in read, row.text);
      return;
    }
    assert.ok("set" in read, "wrong" in read ? read.wrong : "");
    assert.equal(JSON.stringify(read.set), row.printed);
    const shown = (set: typeof read.set): string[] => [...paths(set)].map((p) => p.map(showPathElement).join(""));
    assert.deepEqual(shown(read.set), row.paths);
    assert.deepEqual(shown(sorted(leaves(read.set))), row.leaves);
  });
}

test("what is canonical is given back as it is", () => {
  const tree = { "f:a": { ".": {}, "f:b": {} }, 'k:{"name":"x"}': {}, "v:1": {} };
  const read = readFieldSet(tree);
  assert.ok("set" in read && read.set === tree);
});
