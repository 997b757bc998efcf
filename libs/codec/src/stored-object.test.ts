import assert from "node:assert/strict";
import { test } from "node:test";
import { printStored, spliceVersion } from "./stored-object.js";

const kind = { kind: "ConfigMap", apiVersion: "v1" };

test("an object is stored with metadata in a fixed order and without its version", () => {
  const object = {
    data: { k: "v" },
    metadata: { labels: { a: "b" }, resourceVersion: "9", name: "x", uid: "u" },
    apiVersion: "v1",
    kind: "ConfigMap",
  };
  assert.equal(
    printStored(kind, object).toString(),
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","uid":"u","labels":{"a":"b"}},"data":{"k":"v"}}',
  );
});

test("the version is spliced in, and the places it tells are right", () => {
  const stored = printStored(kind, { metadata: { name: 'q"é' }, data: { k: '"metadata":{' } } as { metadata: object });
  const { bytes, itemAt, versionAt } = spliceVersion(stored, 1234);
  assert.deepEqual(JSON.parse(bytes.toString()), {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { resourceVersion: "1234", name: 'q"é' },
    data: { k: '"metadata":{' },
  });
  assert.equal(bytes.subarray(itemAt, itemAt + 11).toString(), '"metadata":');
  assert.equal(bytes.subarray(versionAt, versionAt + 5).toString(), '1234"');
  assert.equal(bytes.at(-1), 0x0a);
});

test("a value without metadata is refused", () =>
  assert.throws(() => spliceVersion(Buffer.from("{}"), 1), SyntaxError));
