import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { DecodeError } from "@orch/schema/decode.js";
import type { MessageType, Type } from "@orch/schema/descriptor.js";
import { equal } from "@orch/schema/equal.js";
import fc from "fast-check";
import { type Kind, loadCatalog } from "./catalog.js";
import { testContext } from "./testing/kind-kit.js";
import {
  decodeObject,
  prepareForCreate,
  prepareForUpdate,
  selectableFields,
  setDefaults,
  validateCreate,
  validateUpdate,
} from "./writes.js";

const catalog = loadCatalog(createNaming("orch"));
const kinds = catalog.storedKinds();

/** A whole number below `n`, the same for the same seed. */
function dice(seed: number): (n: number) => number {
  let state = seed | 0;
  return (n) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 12)) >>> 0) % n;
  };
}

const words = ["", "a", "A b", "x.y/z", "10.0.0.1", "::1", "TCP", "Always", "None", "ClusterIP", "..", "__proto__"];
const texts: Partial<Record<Type["kind"], readonly unknown[]>> = {
  bytes: ["", "YQ==", "eyJhIjoxfQ=="],
  time: ["2024-01-02T03:04:05Z", "2024-01-02T03:04:05.678+01:00"],
  microTime: ["2024-01-02T03:04:05Z"],
  duration: ["90s", "0"],
  quantity: ["1", "1000m", "-1", 1.5, "1Gi", "100u"],
  intOrString: [0, 80, 70000, "http", ""],
  bool: [true, false],
  int32: [0, 1, -1, 80, 70000],
  int64: [0, 1, -1, 9e15],
  double: [0, 1.5],
  fieldsV1: [{}, { "f:data": {} }],
};

/** Some tree of a type, mostly of the right shape; one value in `wild` is of any shape. */
function treeOf(type: Type, roll: (n: number) => number, { depth, wild }: { depth: number; wild: number }): unknown {
  if (wild > 0 && roll(wild) === 0) return [null, 1, "x", true, [], {}, [null], { a: 1 }, 1e300][roll(9)];
  const below = { depth: depth - 1, wild };
  switch (type.kind) {
    case "message": {
      const tree: Record<string, unknown> = {};
      for (const field of type.byName.values()) {
        if (roll(type.byName.size > 8 ? 5 : 2) > 0 || depth <= 0) continue;
        const value = field.values;
        const picks = value !== undefined && field.type.kind === "string" && roll(3) > 0;
        tree[field.name] = picks ? value[roll(value.length)] : treeOf(field.type, roll, below);
      }
      return tree;
    }
    case "list":
      return Array.from({ length: roll(4) }, () => treeOf(type.item, roll, below));
    case "map":
      return Object.fromEntries(
        Array.from({ length: roll(3) }, () => [words[roll(words.length)], treeOf(type.value, roll, below)]),
      );
    case "either": {
      const { type: one = type } = type.alternatives[depth <= 0 ? 0 : roll(type.alternatives.length)] ?? {};
      return treeOf(one, roll, below);
    }
    default: {
      const values = texts[type.kind] ?? words;
      return values[roll(values.length)];
    }
  }
}

function sample(type: MessageType, seed: number, wild: number): unknown {
  return treeOf(type, dice(seed), { depth: 8, wild });
}

const anyKind = fc.constantFrom(...kinds.map((k) => k.kind));
const seed = fc.integer();

function kindOf(name: string): Kind {
  const kind = kinds.find((k) => k.kind === name);
  assert.ok(kind);
  return kind;
}

test("whatever is sent, a write decodes or is refused: nothing else is thrown", () => {
  let decoded = 0;
  fc.assert(
    fc.property(anyKind, seed, seed, fc.constantFrom(0, 30, 200), (name, a, b, wild) => {
      const kind = kindOf(name);
      try {
        const old = admitted(kind, sample(kind.type, a, wild));
        const { object } = decodeObject(kind, sample(kind.type, b, wild));
        const next = prepareForUpdate(kind, setDefaults(kind, object), old, testContext);
        for (const error of [...validateCreate(kind, old), ...validateUpdate(kind, next, old)]) {
          assert.equal(typeof error.field, "string");
        }
        for (const value of Object.values(selectableFields(kind, next))) assert.equal(typeof value, "string");
        decoded++;
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
      }
    }),
    { numRuns: 1500 },
  );
  assert.ok(decoded > 300, `${decoded} of the samples were decoded`);
});

function admitted(kind: Kind, tree: unknown) {
  return prepareForCreate(kind, setDefaults(kind, decodeObject(kind, tree).object), testContext);
}

test("decoding and defaulting again change nothing, and a value equals itself", () => {
  fc.assert(
    fc.property(anyKind, seed, (name, s) => {
      const kind = kindOf(name);
      const { object } = decodeObject(kind, sample(kind.type, s, 0));
      const again = decodeObject(kind, JSON.parse(JSON.stringify(object)));
      assert.deepEqual(again.unknown, []);
      assert.equal(JSON.stringify(again.object), JSON.stringify(object));
      assert.ok(equal(kind.type, again.object, object));
      const filled = setDefaults(kind, object);
      assert.deepEqual(setDefaults(kind, filled), filled);
    }),
    { numRuns: 500 },
  );
});

test("no step of a write changes what it was given", () => {
  fc.assert(
    fc.property(anyKind, seed, (name, s) => {
      const kind = kindOf(name);
      const tree = sample(kind.type, s, 0);
      const before = JSON.stringify(tree);
      const { object } = decodeObject(kind, tree);
      const decoded = JSON.stringify(object);
      const old = prepareForCreate(kind, setDefaults(kind, object), testContext);
      prepareForUpdate(kind, setDefaults(kind, object), old, testContext);
      validateCreate(kind, old);
      assert.equal(JSON.stringify(tree), before);
      assert.equal(JSON.stringify(object), decoded);
    }),
    { numRuns: 300 },
  );
});
