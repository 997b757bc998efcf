import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { configuration, setting, writeBy } from "../testing/settings-kind.js";
import { applyConfiguration } from "./apply-configuration.js";
import { keepTimes } from "./keep-times.js";
import { entriesOf, trackUpdate, withEntries } from "./track-update.js";
import { validateManagedFields } from "./validate-managed-fields.js";

const stored = setting({ text: "a", count: 1, labels: { x: "1" } }, { uid: "u" });
const live = withEntries(stored, trackUpdate(undefined, stored, writeBy("maker")));
const again = (object: JsonObject): JsonObject => JSON.parse(JSON.stringify(object));
const entries = entriesOf(live);

function changed(spec: JsonObject, managedFields: readonly JsonObject[] = entries): JsonObject {
  return setting({ text: "a", count: 1, labels: { x: "1" }, ...spec }, { uid: "u", managedFields });
}

test("where nothing changed the very same entries come back", () => {
  assert.equal(trackUpdate(live, again(live), writeBy("other", 1)), entries);
  assert.equal(trackUpdate(live, withEntries(changed({}), undefined), writeBy("other", 1)), entries);
});

test("an entry that loses nothing is the very same object, and so are its fields", () => {
  const after = trackUpdate(live, changed({ rows: ["new"] }), writeBy("other", 1));
  assert.equal(after?.[0], entries[0]);
  assert.deepEqual(after?.[1], {
    manager: "other",
    operation: "Update",
    apiVersion: "v1",
    time: "2026-01-01T00:01:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:rows": {} } },
  });
  const same = trackUpdate(live, changed({ text: "b" }), writeBy("maker", 1));
  assert.equal(same?.length, 1);
  assert.equal(same?.[0]?.["fieldsV1"], entries[0]?.["fieldsV1"]);
  assert.equal(same?.[0]?.["time"], "2026-01-01T00:01:00Z");
});

test("one empty entry resets, and what the same write changes is owned by its writer", () => {
  assert.equal(trackUpdate(live, changed({}, [{}]), writeBy("other", 1)), undefined);
  const after = trackUpdate(live, changed({ text: "b" }, [{}]), writeBy("other", 1));
  assert.deepEqual(
    after?.map(({ manager, fieldsV1 }) => [manager, fieldsV1]),
    [["other", { "f:spec": { "f:text": {} } }]],
  );
});

test("an empty list resets nothing", () => {
  assert.equal(trackUpdate(live, changed({}, []), writeBy("other", 1)), entries);
});

test("what is not tracked stays so until it is applied to", () => {
  const bare = withEntries(live, undefined);
  assert.equal(trackUpdate(bare, withEntries(changed({ text: "b" }), undefined), writeBy("other", 1)), undefined);
  const applied = applyConfiguration(bare, configuration({ count: 1 }), writeBy("one", 1));
  assert.deepEqual(
    entriesOf(applied).map(({ manager, operation }) => [manager, operation]),
    [
      ["one", "Apply"],
      ["before-first-apply", "Update"],
    ],
  );
});

test("a stored entry that can not be read is as none; one that a client sends is passed over", () => {
  const broken = [
    { manager: "m", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { spec: {} } },
  ];
  assert.equal(trackUpdate(withEntries(live, broken), changed({ text: "b" }, broken), writeBy("other", 1)), undefined);
  assert.equal(trackUpdate(live, changed({}, broken), writeBy("other", 1)), entries);
});

test("entries are told why they can not be read", () => {
  const entry = { operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} };
  const rows: readonly (readonly [JsonObject, string | undefined])[] = [
    [entry, undefined],
    [{ ...entry, fieldsV1: undefined }, undefined],
    [{ ...entry, operation: "Patch" }, "operation must be `Apply` or `Update`"],
    [{ ...entry, apiVersion: "" }, "apiVersion must not be empty"],
    [{ ...entry, fieldsType: "" }, "missing fieldsType in managed fields entry 0"],
    [{ ...entry, fieldsType: "V2" }, 'invalid fieldsType "V2" in managed fields entry 0'],
  ];
  for (const [row, wrong] of rows) assert.equal(validateManagedFields([row]), wrong);
  assert.match(validateManagedFields([{ ...entry, fieldsV1: { "k:": {} } }]) ?? "", /invalid value: k:/);
});

test("a time alone is no change", () => {
  const applied = applyConfiguration(live, configuration({ text: "a", rows: ["r"] }), writeBy("one", 1));
  const moved = withEntries(
    again(applied),
    entriesOf(applied).map((entry) => ({ ...entry, time: "2026-02-02T00:00:00Z" })),
  );
  assert.deepEqual(keepTimes(applied, moved), applied);
  assert.equal(keepTimes(live, applied), applied);
  const other = { ...moved, spec: { text: "b" } };
  assert.equal(keepTimes(applied, other), other);
});
