import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ApiError } from "@orch/status/api-error.js";
import fc from "fast-check";
import jsonpatch from "fast-json-patch";
import { maxDepth } from "./depth.js";
import { applyJsonPatch, readJsonPatch, unknownInJsonPatch, whyRejected } from "./json-patch.js";
import { freezeDeep, jsonObject, jsonTree, nested } from "./testing/trees.js";

const apply = (document: unknown, patch: unknown): unknown =>
  applyJsonPatch(freezeDeep(document), readJsonPatch(freezeDeep(patch)));

const refuses = (code: number, message: string | RegExp) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.code, code);
  if (typeof message === "string") assert.equal(error.message, message);
  else assert.match(error.message, message);
  return true;
};
const rejected = refuses(422, "the server rejected our request due to an error in our request");

interface SuiteCase {
  readonly comment?: string;
  readonly doc: unknown;
  readonly patch: unknown;
  readonly expected?: unknown;
  readonly error?: string;
  readonly disabled?: boolean;
}

const published = ["tests.json", "spec_tests.json"].map((file): [string, readonly SuiteCase[]] => {
  const path = fileURLToPath(import.meta.resolve(`json-patch-test-suite/${file}`));
  return [file, JSON.parse(readFileSync(path, "utf8"))];
});

/** The reference counts negative indices from the end, and we with it. */
const otherwise: ReadonlySet<string> = new Set(["Out of bounds (lower)"]);

describe("the public test suite of RFC 6902", () => {
  for (const [file, cases] of published) {
    for (const [i, { comment, doc, patch, expected, error, disabled }] of cases.entries()) {
      if (disabled === true || otherwise.has(error ?? "")) continue;
      test(`${file} ${i}: ${comment ?? error ?? ""}`, () => {
        if (error !== undefined) assert.throws(() => apply(doc, patch), rejected);
        else assert.deepEqual(apply(doc, patch), expected ?? doc);
      });
    }
  }
});

test("what the suite leaves open is as in the reference", () => {
  const rows: [document: unknown, patch: unknown, result: unknown][] = [
    [{ a: 1 }, [{ op: "replace", path: "/b", value: 2 }], { a: 1, b: 2 }],
    [{ a: 1 }, [{ op: "test", path: "/b", value: null }], { a: 1 }],
    [{ a: null }, [{ op: "test", path: "/a", value: null }], { a: null }],
    [[1, 2, 3], [{ op: "remove", path: "/-1" }], [1, 2]],
    [[1, 2, 3], [{ op: "replace", path: "/-3", value: 0 }], [0, 2, 3]],
    [[1, 2, 3], [{ op: "add", path: "/-1", value: 4 }], [1, 2, 3, 4]],
    [[1, 2, 3], [{ op: "add", path: "/-4", value: 0 }], [0, 1, 2, 3]],
    [[1, 2, 3], [{ op: "test", path: "/-2", value: 2 }], [1, 2, 3]],
    [{ "a~2": 1 }, [{ op: "remove", path: "/a~2" }], {}],
    [{ a: 1 }, [{ op: "test", path: "/a", value: 1.0 }], { a: 1 }],
    [{ a: 1 }, [{ op: "copy", from: "", path: "/b" }], { a: 1, b: { a: 1 } }],
    [{ a: [1] }, [{ op: "move", from: "/a", path: "" }], [1]],
    [{ a: [1] }, [{ op: "move", from: "", path: "" }], { a: [1] }],
    [{ a: 1 }, null, { a: 1 }],
    [{ a: 1 }, [], { a: 1 }],
  ];
  for (const [document, patch, result] of rows) assert.deepEqual(apply(document, patch), result, JSON.stringify(patch));
});

test("an operation that does not apply is 422 with the general text, without details", () => {
  const patches: [document: unknown, operation: unknown][] = [
    [{ data: { k: "v" } }, { op: "test", path: "/data/k", value: "w" }],
    [{ data: { k: "v" } }, { op: "remove", path: "/data/none" }],
    [{ data: { k: "v" } }, { op: "zap", path: "/data" }],
    [{}, null],
    [{}, { path: "/a" }],
    [{}, { op: null, path: "/a" }],
    [{}, { op: "Add", path: "/a", value: 1 }],
    [{}, { op: "remove", path: "" }],
    [{}, { op: "remove", path: "/toString" }],
    [{}, { op: "test", path: "/constructor/name", value: "Object" }],
    [{}, { op: "test", path: "/a/b", value: null }],
    [{ a: null }, { op: "add", path: "/a/b", value: 1 }],
    [{ a: "text" }, { op: "add", path: "/a/0", value: 1 }],
    [{ a: "text" }, { op: "test", path: "/a/length", value: 4 }],
    [[1], { op: "test", path: "/1", value: null }],
    [[1], { op: "test", path: "/-", value: null }],
    [[1], { op: "remove", path: "/-" }],
    [[1], { op: "remove", path: "/-2" }],
    [[1], { op: "remove", path: "/-0" }],
    [[1], { op: "remove", path: "/+0" }],
    [[1], { op: "remove", path: "/" }],
    [[1], { op: "remove", path: "/length" }],
    [[1], { op: "add", path: "/-3", value: 1 }],
    [[1], { op: "add", path: "/99999999999999999999", value: 1 }],
    [{ a: { b: 1 } }, { op: "move", from: "/a", path: "/a/b" }],
    [[[1], [2]], { op: "move", from: "/0", path: "/0/0" }],
    [{ a: 1 }, { op: "move", from: "", path: "/a" }],
    [{ a: 1 }, { op: "copy", from: "/toString", path: "/b" }],
  ];
  for (const [document, operation] of patches) {
    assert.throws(() => apply(document, [operation]), rejected, JSON.stringify(operation));
  }
  assert.throws(
    () => apply({}, [{ op: "remove", path: "/a" }]),
    (error) => error instanceof ApiError && assert.deepEqual(error.details, {}) === undefined,
  );
});

test("what is no list of operations is 400", () => {
  const rows: [patch: unknown, message: string][] = [
    [{ op: 1 }, "error decoding patch: expected array, got object"],
    ["a", "error decoding patch: expected array, got string"],
    [[1], "error decoding patch: [0]: expected object, got number"],
    [[{ op: 1 }], "error decoding patch: [0].op: expected string, got number"],
    [[{ op: "zap" }, { path: [] }], "error decoding patch: [1].path: expected string, got array"],
    [[{ from: {} }], "error decoding patch: [0].from: expected string, got object"],
  ];
  for (const [patch, message] of rows) assert.throws(() => readJsonPatch(patch), refuses(400, message));
});

test("members that an operation does not have are named for field validation", () => {
  const patch = [{ op: "add", foo: 1, path: "/a", value: 1 }, null, { Op: "y", b: {} }];
  assert.deepEqual(unknownInJsonPatch(patch), ["[0].foo", "[2].Op", "[2].b"]);
  assert.deepEqual(unknownInJsonPatch(null), []);
});

test("names that every object inherits are ordinary names", () => {
  const document: unknown = JSON.parse('{"__proto__": {"a": 1}}');
  const added = apply(document, [
    { op: "add", path: "/__proto__/b", value: 2 },
    { op: "add", path: "/constructor", value: { prototype: 3 } },
    { op: "copy", from: "/__proto__", path: "/copy" },
    { op: "move", from: "/copy", path: "/__proto__/__proto__" },
  ]);
  assert.equal(
    JSON.stringify(added),
    '{"__proto__":{"a":1,"b":2,"__proto__":{"a":1,"b":2}},"constructor":{"prototype":3}}',
  );
  assert.equal(JSON.stringify(apply(document, [{ op: "remove", path: "/__proto__" }])), "{}");
  assert.throws(() => apply({}, [{ op: "add", path: "/__proto__/polluted", value: 1 }]), rejected);
});

test("integers that a number does not hold are compared and copied exactly", () => {
  const large = 2n ** 53n;
  const patched = applyJsonPatch(
    { a: large, list: [] },
    readJsonPatch([
      { op: "test", path: "/a", value: large },
      { op: "copy", from: "/a", path: "/list/-" },
    ]),
  );
  assert.deepEqual(patched, { a: large, list: [large] });
  const other = readJsonPatch([{ op: "test", path: "/a", value: large + 1n }]);
  assert.throws(() => applyJsonPatch({ a: large }, other));
});

test("what the patch leaves alone is shared with the document", () => {
  const document = { a: { deep: [1] }, b: { c: [{ d: 1 }, { e: 2 }] } };
  const patched = apply(document, [{ op: "replace", path: "/b/c/1/e", value: 3 }]);
  assert.deepEqual(patched, { a: { deep: [1] }, b: { c: [{ d: 1 }, { e: 3 }] } });
  assert.ok(typeof patched === "object" && patched !== null && "a" in patched);
  assert.equal(patched.a, document.a);
  assert.equal(apply(document, [{ op: "test", path: "/a/deep/0", value: 1 }]), document);
});

test("an added value is not written to by what follows", () => {
  const patch = [
    { op: "add", path: "/x", value: { list: [1] } },
    { op: "add", path: "/y", value: { list: [1] } },
    { op: "add", path: "/x/list/-", value: 2 },
    { op: "copy", from: "/x", path: "/z" },
    { op: "add", path: "/x/list/-", value: 3 },
  ];
  const expected = { x: { list: [1, 2, 3] }, y: { list: [1] }, z: { list: [1, 2] } };
  assert.deepEqual(apply({}, patch), expected);
  assert.deepEqual(apply({}, patch), expected);
});

describe("patches that explode", () => {
  test("more than 10,000 operations are 413", () => {
    const add = { op: "add", path: "/data/x", value: "y" };
    const many = refuses(
      413,
      "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    );
    assert.throws(() => readJsonPatch(new Array(10_001).fill(add)), many);
    assert.equal(readJsonPatch(new Array(10_000).fill(add)).length, 10_000);
  });

  test("copies that double a list over and over are 413", () => {
    const patch = Array.from({ length: 60 }, () => ({ op: "copy", from: "/a", path: "/a/-" }));
    assert.throws(() => apply({ a: ["x".repeat(100)] }, patch), refuses(413, /^Request entity too large: The copy op/));
  });

  test("many copies may add 3 MiB and no more", () => {
    const text = "x".repeat(1024 * 1024 - 2);
    const copy = (path: string) => ({ op: "copy", from: "/a", path });
    assert.doesNotThrow(() => apply({ a: text }, [copy("/b"), copy("/c"), copy("/d")]));
    assert.throws(() => apply({ a: text }, [copy("/b"), copy("/c"), copy("/d"), copy("/e")]), refuses(413, /3145728/));
  });

  test("a result deeper than what can be read again is 422, and takes no stack", () => {
    const half = nested(maxDepth / 2, "a");
    const deepest = "/a".repeat(maxDepth / 2);
    assert.doesNotThrow(() => apply(half, [{ op: "replace", path: deepest, value: nested(maxDepth / 2, "b") }]));
    const more = { op: "replace", path: deepest, value: nested(maxDepth / 2 + 1, "b") };
    assert.throws(() => apply(half, [more]), rejected);
    assert.throws(() => apply({}, [{ op: "add", path: "/x", value: nested(10_000, "a") }]), rejected);
    const doubling = Array.from({ length: 14 }, (_, i) => ({
      op: "copy",
      from: "/a",
      path: `/a${"/a".repeat(2 ** i)}`,
    }));
    assert.doesNotThrow(() => apply({ a: {} }, doubling.slice(0, 8)));
    assert.throws(() => apply({ a: {} }, doubling), rejected);
  });

  test("operations on a wide object copy it once", () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]));
    const patch = Array.from({ length: 10_000 }, (_, i) => ({ op: "replace", path: `/k${i}`, value: "new" }));
    const patched = apply(wide, patch);
    assert.equal(Object.values(patched ?? {}).filter((v) => v === "new").length, 10_000);
  });
});

describe("random patches", () => {
  const path = fc
    .array(fc.constantFrom("a", "b", "a", "b", "c~1~0", "0", "1", "-"), { maxLength: 3 })
    .map((tokens) => tokens.map((t) => `/${t}`).join(""));
  const operation = fc.oneof(
    fc.record({ op: fc.constantFrom("add" as const, "replace" as const, "test" as const), path, value: jsonTree }),
    fc.record({ op: fc.constant("remove" as const), path }),
    fc.record({ op: fc.constantFrom("move" as const, "copy" as const), path, from: path }),
  );

  type Step = typeof operation extends fc.Arbitrary<infer S> ? S : never;

  /**
   * The other library's result; of moves and copies as RFC 6902 defines them, by removing and adding: it looks at the
   * target of a move before it removes, finds characters in texts and lets copies leave holes in lists.
   */
  const theirs = (document: unknown, step: Step): unknown => {
    const then = (before: unknown, s: jsonpatch.Operation): unknown =>
      jsonpatch.applyOperation(structuredClone(before), s, true).newDocument;
    if (step.op !== "move" && step.op !== "copy") return then(document, step);
    const value: unknown = structuredClone(jsonpatch.getValueByPointer(document, step.from));
    const removed = then(document, { op: "remove", path: step.from });
    return then(step.op === "move" ? removed : document, { op: "add", path: step.path, value });
  };
  const isAbsent = (document: unknown, path: string): boolean =>
    attempt(() => jsonpatch.getValueByPointer(document, path) !== undefined) !== true;

  /** What is as in the reference and not as there; the rows above have it. */
  const isDisputed = (document: unknown, step: Step): boolean => {
    if (typeof document !== "object" || document === null) return true;
    if (step.op === "move" || step.op === "copy") return step.from === "" || step.path.startsWith(step.from);
    return step.op === "remove" ? step.path === "" : step.op !== "add" && isAbsent(document, step.path);
  };

  const attempt = (work: () => unknown): unknown => {
    try {
      return work();
    } catch {
      return "refused";
    }
  };

  test("mean the same as in fast-json-patch, one operation at a time", () => {
    const compared = { applied: 0, refused: 0 };
    fc.assert(
      fc.property(jsonObject, fc.array(operation, { maxLength: 6 }), (start, steps) => {
        let document = start;
        for (const step of steps) {
          if (isDisputed(document, step)) continue;
          const ours = attempt(() => apply(document, [step]));
          const expected = attempt(() => theirs(document, step));
          assert.deepEqual(ours, expected, JSON.stringify({ document, step }));
          compared[ours === "refused" ? "refused" : "applied"]++;
          if (ours !== "refused") document = ours;
        }
      }),
      { numRuns: 2000 },
    );
    assert.ok(compared.applied > 500 && compared.refused > 500, JSON.stringify(compared));
  });

  test("do the same in one go as one by one", () => {
    fc.assert(
      fc.property(jsonObject, fc.array(operation, { maxLength: 8 }), (document, steps) => {
        const whole = attempt(() => apply(document, steps));
        const single = attempt(() => steps.reduce((d, step) => apply(d, [step]), document));
        assert.deepEqual(whole, single);
      }),
    );
  });
});

test("who did not send a patch with the request is told what it gets wrong", () => {
  const document = { spec: { a: 1 }, list: [1] };
  const lacking = (operation: string): string => `${operation} operation does not apply: `;
  for (const [operation, why] of [
    [
      { op: "remove", path: "/spec/b" },
      "error in remove for path: '/spec/b': Unable to remove nonexistent key: b: missing value",
    ],
    [{ op: "remove", path: "/list/4" }, "error in remove for path: '/list/4': Unable to access invalid index: 4"],
    [{ op: "add", path: "/list/4", value: 1 }, "error in add for path: '/list/4': Unable to access invalid index: 4"],
    [{ op: "add", path: "/no/b", value: 1 }, `${lacking("add")}doc is missing path: /no/b: missing value`],
    [{ op: "replace", path: "/no/b", value: 1 }, `${lacking("replace")}doc is missing path: /no/b: missing value`],
    [{ op: "copy", path: "/b", from: "/no" }, `${lacking("copy")}doc is missing from path: /no: missing value`],
    [{ op: "test", path: "/no/b", value: 1 }, `${lacking("test")}is missing path: /no/b: missing value`],
    [{ op: "test", path: "/spec/a", value: 2 }, "testing value /spec/a failed: test failed"],
    [{ op: "weird", path: "/a" }, "Unexpected kind: weird"],
  ] as const) {
    const told = (error: unknown): boolean => error instanceof ApiError && whyRejected(error) === why;
    assert.throws(() => applyJsonPatch(document, readJsonPatch([operation])), told, why);
  }
});
