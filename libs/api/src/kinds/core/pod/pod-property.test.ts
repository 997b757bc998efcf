import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import fc from "fast-check";
import { loadCatalog } from "../../../catalog.js";
import { arbitraryObject } from "../../../testing/arbitrary.js";
import { createKindKit, testContext } from "../../../testing/kind-kit.js";
import {
  decodeObject,
  prepareForCreate,
  prepareForPart,
  prepareForUpdate,
  setDefaults,
  validateCreate,
  validatePart,
  validateUpdate,
} from "../../../writes.js";

const kit = createKindKit(loadCatalog(createNaming("orch")));

for (const name of ["Pod", "PodTemplate", "ReplicationController"]) {
  const kind = kit.kind(name);
  const object = arbitraryObject(kind.type).map((tree) => decodeObject(kind, tree).object);

  test(`defaults of a ${name} twice are as once`, () => {
    fc.assert(
      fc.property(object, (given) => {
        const once = setDefaults(kind, given);
        assert.deepEqual(setDefaults(kind, once), once);
      }),
      { numRuns: 100 },
    );
  });

  test(`whatever a ${name} says, it is answered, and what did not change is no forbidden change`, () => {
    fc.assert(
      fc.property(object, object, (a, b) => {
        const old = prepareForCreate(kind, setDefaults(kind, a), testContext);
        validateCreate(kind, old);
        const next = prepareForUpdate(kind, setDefaults(kind, b), old, testContext);
        validateUpdate(kind, next, old);
        for (const part of Object.keys(kind.behavior.parts ?? {})) {
          const written = prepareForPart(kind, { name: part, object: setDefaults(kind, b), old }, testContext);
          validatePart(kind, { name: part, object: written, old });
        }
        const same = validateUpdate(kind, prepareForUpdate(kind, old, old, testContext), old);
        assert.deepEqual(
          same.filter((e) => e.message.includes("pod updates may not")),
          [],
        );
      }),
      { numRuns: 100 },
    );
  });
}
