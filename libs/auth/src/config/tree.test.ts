import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldError } from "@orch/status/field-error.js";
import { rootTree } from "./tree.js";

const fields = ["text", "texts", "flag", "time", "object", "objects"] as const;

function read(file: unknown) {
  const problems: string[] = [];
  return { problems, tree: rootTree(file, fields, (problem) => void problems.push(problem)) };
}

test("what is absent or null is empty, and no problem", () => {
  for (const file of [
    undefined,
    null,
    {},
    { text: null, texts: null, flag: null, time: null, object: null, objects: null },
  ]) {
    const { tree, problems } = read(file);
    assert.equal(tree.text("text"), "");
    assert.deepEqual(tree.texts("texts"), []);
    assert.equal(tree.flag("flag"), false);
    assert.equal(tree.duration("time").ms, 0);
    assert.equal(tree.object("object", ["inner"]).text("inner"), "");
    assert.deepEqual(tree.objects("objects", []), []);
    for (const name of fields) assert.equal(tree.has(name), false);
    assert.deepEqual(problems, []);
  }
});

test("what is of a wrong type is told once, without its value, and nothing more of what is in it", () => {
  const { tree, problems } = read({
    text: 1,
    texts: ["a", {}],
    flag: "s3cret",
    time: 3,
    object: ["s3cret"],
    objects: [1],
  });
  for (const _ of ["once", "again"]) assert.equal(tree.text("text"), "");
  tree.refuse(fieldError.required("text"));
  assert.deepEqual(tree.texts("texts"), ["a", ""]);
  assert.equal(tree.flag("flag"), false);
  assert.equal(tree.duration("time").ms, 0);
  tree.refuse(fieldError.required("time"));
  const inner = tree.object("object", ["inner"]);
  inner.refuse(fieldError.required(inner.pathOf("inner")));
  const [item] = tree.objects("objects", ["inner"]);
  item?.refuse(fieldError.required(item.pathOf("inner")));
  assert.deepEqual(problems, [
    "text: must be a string",
    "texts[1]: must be a string",
    "flag: must be true or false",
    'time: must be a duration: "5m"',
    "object: must be an object",
    "objects[0]: must be an object",
  ]);
});

test("names of the prototype are fields as any", () => {
  const { tree, problems } = read(JSON.parse('{"__proto__": {"text": "a"}, "constructor": 1}'));
  assert.equal(tree.text("text"), "");
  assert.deepEqual(problems, ['unknown field "__proto__"', 'unknown field "constructor"']);
});
