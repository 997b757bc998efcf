import assert from "node:assert/strict";
import { test } from "node:test";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import fc from "fast-check";
import { equalSets, type FieldSet, isSubset, union } from "../fields/field-set.js";
import { readFieldSet } from "../fields/fields-v1.js";
import { configuration, setting, settings, writeBy } from "../testing/settings-kind.js";
import { applyConfiguration } from "./apply-configuration.js";
import { compare, isSame } from "./compare.js";
import { fieldsOf } from "./fields-of.js";
import { merge } from "./merge.js";
import { extractFields } from "./remove.js";
import { schemaOf } from "./schema.js";
import { entriesOf, trackUpdate, withEntries } from "./track-update.js";

const schema = schemaOf(settings);
const word = fc.constantFrom("a", "b", "c", "<&>", "é");
const texts = fc.dictionary(word, word, { maxKeys: 3, noNullPrototype: true });
const unique = <T>(item: fc.Arbitrary<T>, key: (item: T) => string): fc.Arbitrary<T[]> =>
  fc.uniqueArray(item, { selector: key, maxLength: 3 });

interface Part {
  readonly name: string;
  readonly value?: string;
}
const part: fc.Arbitrary<Part> = fc.record(
  { name: word, value: word },
  { requiredKeys: ["name"], noNullPrototype: true },
);
const port = fc.record(
  { port: fc.constantFrom(80, 443), protocol: fc.constantFrom("TCP", "UDP"), name: word },
  { requiredKeys: ["port"], noNullPrototype: true },
);

/** Specifications that say something wherever they say anything: what is empty is owned as such, and extracted as null. */
const spec: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      text: word,
      count: fc.integer({ min: 1, max: 3 }),
      tags: unique(word, (tag) => tag),
      ports: unique(port, (p) => `${p.port}/${p.protocol ?? "TCP"}`),
      parts: unique(part, (p) => p.name),
      rows: fc.array(word, { minLength: 1, maxLength: 2 }),
      labels: texts,
      selector: texts,
      any: fc.constantFrom<unknown>("x", 1, { k: "v" }, [1]),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map((s) => Object.fromEntries(Object.entries(s).filter(([, v]) => !isObject(v) || Object.keys(v).length > 0)));

const withUid = (object: JsonObject): JsonObject => {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  return { ...object, metadata: { ...metadata, uid: "u" } };
};

function create(s: JsonObject): JsonObject {
  const object = setting(s, { uid: "u" });
  return withEntries(object, trackUpdate(undefined, object, writeBy("maker")));
}

function setsOf(object: JsonObject): readonly FieldSet[] {
  return entriesOf(object).map((entry) => {
    const read = readFieldSet(entry["fieldsV1"]);
    assert.ok("set" in read && read.set === entry["fieldsV1"], "written in canonical form");
    return read.set;
  });
}

test("to apply twice is to apply once, to the byte", () => {
  fc.assert(
    fc.property(spec, spec, (before, wanted) => {
      const by = { ...writeBy("one", 1), force: true };
      const once = applyConfiguration(create(before), configuration(wanted), by);
      const twice = applyConfiguration(once, configuration(wanted), { ...by, now: "2026-01-01T00:02:00Z" });
      assert.equal(JSON.stringify(twice), JSON.stringify(once));
    }),
  );
});

test("what is applied is owned by its applier, and its values stand", () => {
  fc.assert(
    fc.property(spec, spec, (before, wanted) => {
      const after = applyConfiguration(create(before), configuration(wanted), { ...writeBy("one", 1), force: true });
      const owned = setsOf(after).reduce(union, {});
      const { ["f:spec"]: applied = {} } = fieldsOf(schema, { spec: wanted });
      assert.ok(isSubset({ "f:spec": applied }, owned) || Object.keys(applied).length === 0);
      assert.equal(merge(schema, after, configuration(wanted)), after);
    }),
  );
});

test("nobody owns what is not there, and everything that is there has an owner", () => {
  fc.assert(
    fc.property(spec, spec, spec, (before, update, wanted) => {
      const live = create(before);
      const object = withEntries(setting(update, { uid: "u" }), entriesOf(live));
      const updated = withEntries(object, trackUpdate(live, object, writeBy("other", 1)));
      const after = applyConfiguration(updated, configuration(wanted), { ...writeBy("one", 2), force: true });
      for (const state of [updated, after]) {
        const owned = setsOf(state).reduce(union, {});
        const { ["f:spec"]: there = {} } = fieldsOf(schema, withEntries(state, undefined));
        const { ["f:spec"]: mine = {} } = owned;
        assert.ok(isSubset(there, mine), "owned");
      }
    }),
  );
});

test("what an owner's set extracts says what it applied, and to apply it again changes nothing", () => {
  fc.assert(
    fc.property(spec, spec, (before, wanted) => {
      const by = { ...writeBy("one", 1), force: true };
      const after = applyConfiguration(create(before), configuration(wanted), by);
      const [own] = entriesOf(after).filter((entry) => entry["operation"] === "Apply");
      const read = readFieldSet(own?.["fieldsV1"] ?? {});
      assert.ok("set" in read);
      const extracted = extractFields(schema, after, read.set)["spec"];
      const again = applyConfiguration(after, configuration(isObject(extracted) ? extracted : {}), by);
      assert.deepEqual(withEntries(again, undefined), withEntries(after, undefined));
    }),
  );
});

test("the order of a map's entries means nothing", () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, v]) => [name, reversed(v)]),
    );
  };
  fc.assert(
    fc.property(spec, spec, (before, wanted) => {
      const turned = reversed(wanted);
      const by = { ...writeBy("one", 1), force: true };
      const one = applyConfiguration(create(before), configuration(wanted), by);
      const two = applyConfiguration(create(before), configuration(isObject(turned) ? turned : {}), by);
      assert.deepEqual(one, two);
      assert.equal(JSON.stringify(entriesOf(one)), JSON.stringify(entriesOf(two)));
    }),
  );
});

test("what changed is what tells two objects apart", () => {
  fc.assert(
    fc.property(spec, spec, (a, b) => {
      const [left, right] = [setting(a), setting(b)];
      assert.ok(isSame(compare(schema, left, setting(a))));
      const there = compare(schema, left, right);
      const back = compare(schema, right, left);
      assert.ok(equalSets(there.added, back.removed) && equalSets(there.removed, back.added));
      assert.ok(equalSets(there.modified, back.modified));
    }),
  );
});

test("an update and its undoing leave the objects alike", () => {
  fc.assert(
    fc.property(spec, spec, (a, b) => {
      const live = withUid(create(a));
      const object = withEntries(setting(b, { uid: "u" }), entriesOf(live));
      const there = withEntries(object, trackUpdate(live, object, writeBy("other", 1)));
      const home = withEntries(live, entriesOf(there));
      const sets = setsOf(withEntries(live, trackUpdate(there, home, writeBy("other", 2))));
      assert.ok(isSubset(setsOf(live).reduce(union, {}), sets.reduce(union, {})));
    }),
  );
});
