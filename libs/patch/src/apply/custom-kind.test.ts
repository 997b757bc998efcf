import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { widget } from "@orch/schema/testing/widget.js";
import { ApiError } from "@orch/status/api-error.js";
import { emptySet } from "../fields/field-set.js";
import { applyConfiguration } from "./apply-configuration.js";
import type { FieldWrite } from "./field-write.js";

function writeBy(manager: string): FieldWrite {
  return {
    versions: { type: () => widget, convert: (object) => object },
    kind: { group: "stable.example.com", kind: "Widget" },
    apiVersion: "stable.example.com/v1",
    subresource: "",
    manager,
    now: "2026-01-01T00:00:00Z",
    ignored: () => emptySet,
  };
}

function apply(manager: string, live: JsonObject | undefined, spec: JsonObject, force = false): JsonObject {
  const meta = { apiVersion: "stable.example.com/v1", kind: "Widget", metadata: { name: "s" } };
  return applyConfiguration(live, { ...meta, spec }, { ...writeBy(manager), force });
}

/** What each manager owns of the spec. */
function owned(object: JsonObject): unknown {
  const { managedFields } = object["metadata"] as { readonly managedFields: readonly JsonObject[] };
  return Object.fromEntries(
    managedFields.map(({ manager, fieldsV1 }) => [manager, (fieldsV1 as JsonObject)["f:spec"]]),
  );
}

const first = apply("m1", undefined, {
  size: 1,
  tags: ["a", "b"],
  ports: [{ port: 80, note: "x" }],
  atoms: ["1", "2"],
  m: { k1: 1 },
  amap: { k1: "1" },
});

// The answers are the reference's.
test("an applier of a custom resource owns what its list types and map types say", () => {
  assert.deepEqual(owned(first), {
    m1: {
      "f:amap": {},
      "f:atoms": {},
      "f:m": { "f:k1": {} },
      "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:note": {}, "f:port": {} } },
      "f:size": {},
      "f:tags": { 'v:"a"': {}, 'v:"b"': {} },
    },
  });
});

test("another applier adds to sets, map lists and maps", () => {
  const second = apply("m2", first, {
    tags: ["b", "c"],
    ports: [{ port: 80, protocol: "UDP" }, { port: 81 }],
    m: { k2: 2 },
  });
  const { tags, m, ports } = second["spec"] as JsonObject;
  assert.deepEqual({ tags, m }, { tags: ["a", "b", "c"], m: { k1: 1, k2: 2 } });
  assert.deepEqual(ports, [{ note: "x", port: 80 }, { port: 80, protocol: "UDP" }, { port: 81 }]);
});

const refused: readonly (readonly [JsonObject, string])[] = [
  [{ atoms: ["3"] }, 'Apply failed with 1 conflict: conflict with "m1": .spec.atoms'],
  [{ amap: { k2: "2" } }, 'Apply failed with 1 conflict: conflict with "m1": .spec.amap'],
  [{ tags: ["a", "a"] }, '.spec.tags: duplicate entries for key [="a"]'],
  [{ ports: [{ port: 1 }, { port: 1 }] }, '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]'],
  [
    { ports: [{ note: "no key" }] },
    '.spec.ports: element 0: associative list with keys has an element that omits key field "port" (and doesn\'t have default value)',
  ],
  [{ junk: 1 }, ".spec.junk: field not declared in schema"],
  [{ size: "x" }, ".spec.size: expected numeric (int or float), got string"],
];

for (const [spec, wanted] of refused) {
  test(`the configuration ${JSON.stringify(spec)} is refused`, () => {
    assert.throws(
      () => apply("m2", first, spec),
      (error) => error instanceof ApiError && error.message.endsWith(wanted),
    );
  });
}

test("of what keeps unknown fields, each is owned as one piece below the first name", () => {
  const object = apply("m1", first, { any: { x: [{ y: 1 }] } }, true);
  assert.deepEqual(owned(object), { m1: { "f:any": { "f:x": {} } } });
});
