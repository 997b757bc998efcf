import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { complete, placeAt } from "./completion.js";
import { schemasFor } from "./schemas.js";

const container = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string" },
    image: { type: "string" },
    imagePullPolicy: { type: "string", enum: ["Always", "Never"], description: "when it is pulled" },
    ports: { type: "array", items: { type: "object", properties: { containerPort: { type: "integer" } } } },
  },
};
const document = {
  components: {
    schemas: {
      Pod: {
        type: "object",
        "x-any-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }],
        properties: {
          metadata: { allOf: [{ $ref: "#/components/schemas/Meta" }], description: "about it" },
          spec: {
            type: "object",
            properties: { containers: { type: "array", items: container }, hostNetwork: { type: "boolean" } },
          },
        },
      },
      Meta: { type: "object", properties: { labels: { type: "object", additionalProperties: { type: "string" } } } },
    },
  },
};
const schemas = schemasFor(document, { group: "", version: "v1", kind: "Pod" });

/** The text with its cursor at `|`. */
function at(text: string): { readonly text: string; readonly cursor: number } {
  const cursor = text.indexOf("|");
  return { text: text.replace("|", ""), cursor };
}

describe("the place of a cursor", () => {
  const rows: readonly [text: string, path: readonly string[]][] = [
    ["sp|", []],
    ["spec:\n  |", ["spec"]],
    ["spec:\n  containers:\n    - na|", ["spec", "containers", "-"]],
    ["spec:\n  containers:\n  - na|", ["spec", "containers", "-"]],
    ["spec:\n  containers:\n    - name: a\n      im|", ["spec", "containers", "-"]],
    ["spec:\n  containers:\n  - name: a\n    im|", ["spec", "containers", "-"]],
    ["spec:\n  containers:\n    - name: a\n    - im|", ["spec", "containers", "-"]],
    ["spec:\n  containers:\n    - name: a\n      ports:\n        - con|", ["spec", "containers", "-", "ports", "-"]],
    ["spec:\n  containers:\n    - ports:\n        - containerPort: 1\n      im|", ["spec", "containers", "-"]],
    ["spec:\n  containers:\n    - name: a\n  host|", ["spec"]],
    ["spec:\n  a: 1\n\n# note\n  |", ["spec"]],
    ["metadata:\n  labels:\n    app: |", ["metadata", "labels", "app"]],
  ];
  for (const [marked, path] of rows) {
    test(JSON.stringify(marked), () => {
      const { text, cursor } = at(marked);
      assert.deepEqual(placeAt(text, cursor)?.path, path);
    });
  }
});

describe("what may stand there", () => {
  const labels = (marked: string): readonly string[] => {
    const { text, cursor } = at(marked);
    return complete(text, cursor, schemas)?.candidates.map(({ label }) => label) ?? [];
  };
  test("fields, required ones first, without those that are there", () => {
    assert.deepEqual(labels("spec:\n  containers:\n    - |"), ["name", "image", "imagePullPolicy", "ports"]);
    assert.deepEqual(labels("spec:\n  containers:\n    - name: a\n      image|"), ["image", "imagePullPolicy"]);
    assert.deepEqual(labels("spec:\n  containers:\n    - image: a\n      |\n      ports: []"), [
      "name",
      "imagePullPolicy",
    ]);
  });
  test("before a field that is there, too", () => {
    const lines = ["spec:", "  containers:", "    - name: a", "      imagePu|image: b"];
    assert.deepEqual(labels(lines.join("\n")), ["imagePullPolicy"]);
  });
  test("the values of a choice", () => {
    assert.deepEqual(labels("spec:\n  containers:\n    - imagePullPolicy: N|"), ["Never"]);
    assert.deepEqual(labels("spec:\n  hostNetwork: |"), ["true", "false"]);
  });
  test("what is behind a reference", () => {
    assert.deepEqual(labels("metadata:\n  l|"), ["labels"]);
  });
  test("nothing in a comment, and nothing where no schema is known", () => {
    assert.deepEqual(labels("# sp|"), []);
    assert.deepEqual(labels("metadata:\n  labels:\n    a|"), []);
  });
  test("a list opens its first item", () => {
    const { text, cursor } = at("spec:\n  con|");
    assert.equal(complete(text, cursor, schemas)?.candidates[0]?.insert, "containers:\n    - ");
  });
});
