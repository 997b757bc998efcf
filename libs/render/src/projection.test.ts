import assert from "node:assert/strict";
import { test } from "node:test";
import { formText, parseForm, plainForm, projectedForm } from "./form.js";
import { projected, projectionOf } from "./projection.js";

const pod = JSON.parse(
  '{"metadata":{"name":"a","labels":{"x":"1"}},"spec":{"containers":[{"name":"c","image":"i"},{"name":"d"},7],"n":3},"__proto__":{"x":1}}',
);
const of = (...paths: string[]): unknown => projected(pod, projectionOf(paths.map((path) => path.split("."))));

test("a projection shows the fields, in the object's order, through lists", () => {
  assert.deepEqual(of("spec.n", "metadata.name"), { metadata: { name: "a" }, spec: { n: 3 } });
  assert.deepEqual(of("spec.containers.image"), { spec: { containers: [{ image: "i" }, {}] } });
  assert.deepEqual(of("metadata", "metadata.name"), { metadata: pod.metadata });
  assert.deepEqual(of("metadata.name.x", "missing"), { metadata: {} });
  assert.deepEqual(JSON.stringify(of("__proto__.x")), '{"__proto__":{"x":1}}');
});

test("a form with fields crosses a hop, equal fields as equal texts", () => {
  const text = formText(projectedForm(plainForm, "spec.a,metadata.labels['x?;y'],spec.a"));
  assert.equal(text, formText(projectedForm(plainForm, "metadata.labels['x?;y'],spec.a")));
  const form = parseForm(text);
  assert.deepEqual(form?.fields, [
    ["metadata", "labels", "x?;y"],
    ["spec", "a"],
  ]);
  assert.equal(form === undefined ? "" : formText(form), text);
  assert.equal(parseForm("json;Table;v1;None?a"), undefined);
});

test("fields are chosen of objects in JSON and CBOR", () => {
  assert.equal(formText(projectedForm({ ...plainForm, encoding: "cbor" }, "a")), "cbor?a");
  assert.throws(() => projectedForm({ ...plainForm, encoding: "protobuf" }, "a"), /not in Protobuf/);
  assert.throws(() => projectedForm({ ...plainForm, as: "Table" }, "a"), /not of tables/);
  assert.throws(() => projectedForm(plainForm, "-a"), /minus/);
  assert.throws(() => projectedForm(plainForm, Array(65).fill("a").join()), /at most 64 paths/);
});
