import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument } from "@orch/codec/configuration-document.js";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { JsonObject, MessageType, Type } from "@orch/schema/descriptor.js";
import fc from "fast-check";
import type { Configuration } from "../configuration.js";

/** Values that decode as a type, with whatever is absent. `raws` are what stands where anything may. */
function decodable(type: Type, raws: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case "message":
      return fieldsOf(type, raws);
    case "list":
      return fc.array(decodable(type.item, raws), { maxLength: 3 });
    case "map":
      return fc.dictionary(fc.string({ maxLength: 5 }), decodable(type.value, raws), {
        maxKeys: 3,
        noNullPrototype: true,
      });
    case "int32":
    case "int64":
      return fc.integer();
    case "bool":
      return fc.boolean();
    case "double":
      return fc.oneof(fc.integer(), fc.constantFrom(0, 0.1, -1, 2.5e-7));
    case "duration":
      return fc.constantFrom("0", "0s", "1h", "90s", "1.5h", "-2m", "300ms", "12h30m");
    case "bytes":
      return fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString("base64"));
    case "time":
      return fc.constantFrom("2026-01-02T03:04:05Z", "2026-01-02T05:04:05+02:00");
    case "raw":
      return raws;
    default:
      return fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom("", "yes", "012", "a: b", "NodeResourcesFit", "*"));
  }
}

function fieldsOf(type: MessageType, raws: fc.Arbitrary<unknown>): fc.Arbitrary<JsonObject> {
  const names = [...type.byName.values()].filter(({ name }) => name !== "apiVersion" && name !== "kind");
  const fields = Object.fromEntries(names.map((f) => [f.name, decodable(f.type, raws)]));
  return fc.record(fields, { requiredKeys: [], noNullPrototype: true });
}

interface PropertyOptions {
  /** What stands where anything may. */
  readonly raws?: fc.Arbitrary<unknown>;
  readonly runs?: number;
  /** Which of its versions; the first where absent. */
  readonly version?: number;
  /** An empty file is right. */
  readonly hasRightDefaults?: boolean;
}

/** What every kind keeps to, whatever a file says. */
export function testProperties<T extends JsonObject>(of: Configuration<T>, options: PropertyOptions = {}): void {
  const { raws = fc.constant({ any: ["thing"] }), runs: numRuns = 60, version = 0, hasRightDefaults = true } = options;
  const apiVersion = of.apiVersions[version] ?? "";
  const decoded = (text: string): T => {
    const read = readDocument(text);
    assert.ok(read.ok, text);
    const whole = of.decode(read.document);
    assert.ok(whole.ok, whole.ok ? "" : `${whole.problems.join("; ")}\n${text}`);
    const value = of.from(whole.document);
    assert.ok(value !== undefined);
    return value;
  };
  const values = fieldsOf(of.typeOf(apiVersion), raws).map((fields) =>
    decoded(printYaml({ apiVersion, kind: of.kind, ...fields })),
  );
  const property = (name: string, holds: (value: T) => void): void =>
    void test(`${of.kind} of ${apiVersion}: ${name}`, () => fc.assert(fc.property(values, holds), { numRuns }));

  property("what is printed decodes as the same", (value) =>
    assert.deepEqual(decoded(of.print(value, apiVersion)), value),
  );
  property("defaults of a whole value change nothing", (value) => assert.deepEqual(of.fill(value), value));
  property("its rules never throw", (value) => void of.check(value));
  if (hasRightDefaults) {
    test(`${of.kind} of ${apiVersion}: defaults are right`, () => assert.deepEqual(of.check(of.defaults()), []));
  }
}
