import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodings, type Form, formText, includeObjects, parseForm, plainForm, transforms } from "./form.js";

const forms: fc.Arbitrary<Form> = fc.record({
  encoding: fc.constantFrom(...encodings),
  as: fc.constantFrom(...transforms),
  metaVersion: fc.constantFrom("v1", "v1beta1"),
  includeObject: fc.constantFrom(...includeObjects),
});

const rows: readonly (readonly [text: string, form: Partial<Form>])[] = [
  ["", {}],
  ["protobuf", { encoding: "protobuf" }],
  ["cbor", { encoding: "cbor" }],
  ["json;Table;v1;Metadata", { as: "Table" }],
  ["json;Table;v1beta1;None", { as: "Table", metaVersion: "v1beta1", includeObject: "None" }],
  ["json;PartialObjectMetadata;v1", { as: "PartialObjectMetadata" }],
  ["cbor;PartialObjectMetadata;v1beta1", { encoding: "cbor", as: "PartialObjectMetadata", metaVersion: "v1beta1" }],
];
for (const [text, form] of rows) {
  test(`a form crosses a hop as ${JSON.stringify(text)}`, () => {
    assert.equal(formText({ ...plainForm, ...form }), text);
    assert.deepEqual(parseForm(text), { ...plainForm, ...form });
  });
}

test("what does not matter to a form is not in its text", () => {
  assert.equal(formText({ ...plainForm, metaVersion: "v1beta1", includeObject: "None" }), "");
  const partial = { ...plainForm, as: "PartialObjectMetadata" } as const;
  assert.equal(formText({ ...partial, includeObject: "None" }), formText(partial));
});

test("a text tells the form that it was made of, and no other text tells the same", () => {
  fc.assert(
    fc.property(forms, forms, (a, b) => {
      const again = parseForm(formText(a));
      assert.ok(again);
      assert.equal(formText(again), formText(a));
      if (formText(a) === formText(b)) assert.deepEqual(parseForm(formText(b)), again);
    }),
  );
});

for (const text of [
  "yaml",
  "json",
  "json;Object",
  "json;Object;v1",
  "json;Table",
  "json;Table;v1;All",
  "json;Table;v1;None;x",
  "json;PartialObjectMetadata;v1;None",
  "JSON;Table;v1;None",
  ";Table;v1;None",
  " ",
]) {
  test(`${JSON.stringify(text)} is no form's text`, () => assert.equal(parseForm(text), undefined));
}
