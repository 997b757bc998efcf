import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { maxDepth as readableDepth } from "@orch/codec/decoded.js";
import { createNaming } from "@orch/naming/naming.js";
import { maxDepth } from "@orch/patch/depth.js";
import { applyStrategicMergePatch } from "@orch/patch/strategic/strategic-merge-patch.js";
import { complete } from "@orch/schema/complete.js";
import { type Decoded, DecodeError, decode } from "@orch/schema/decode.js";
import type { JsonObject, MessageType } from "@orch/schema/descriptor.js";
import { equal } from "@orch/schema/equal.js";
import { ApiError } from "@orch/status/api-error.js";

/** What the reference's own library makes of patches: libs/patch/vectors-strategic. */
type Line =
  | { readonly document: string; readonly object: JsonObject & { readonly apiVersion: string; readonly kind: string } }
  | { readonly on: string; readonly patch: JsonObject; readonly result: JsonObject }
  | {
      readonly on: string;
      readonly patch: JsonObject;
      readonly error: { readonly code: number; readonly message: string };
    };

const file = new URL("../../../libs/patch/testdata/strategic.jsonl", import.meta.url);
const lines: readonly Line[] = readFileSync(file, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));

const catalog = loadCatalog(createNaming("kubernetes"));
interface Subject {
  readonly type: MessageType;
  /** As decoding leaves it, and with what the reference always writes: what its server patches. */
  readonly object: JsonObject;
  readonly whole: JsonObject;
}
const subjects = new Map<string, Subject>();
for (const line of lines) {
  if (!("document" in line)) continue;
  const type = catalog.kind(line.object.apiVersion, line.object.kind)?.type;
  assert.ok(type !== undefined, line.document);
  const object = decode(type, line.object).value;
  subjects.set(line.document, { type, object: frozen(object), whole: frozen(complete(type, object)) });
}

function subjectOf(name: string): Subject {
  const subject = subjects.get(name);
  assert.ok(subject !== undefined, name);
  return subject;
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
}

/** A merged tree as the server reads it on; the text of the problem where it can not. */
function decoded(type: MessageType, tree: JsonObject): Decoded | string {
  try {
    const { value, unknown } = decode(type, tree);
    return { value, unknown: unknown.toSorted() };
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

function assertSame(type: MessageType, actual: JsonObject, expected: JsonObject, what: string): void {
  const [ours, theirs] = [decoded(type, actual), decoded(type, expected)];
  if (typeof ours === "string" || typeof theirs === "string") assert.equal(ours, theirs, what);
  else {
    if (!equal(type, ours.value, theirs.value)) assert.deepEqual(ours.value, theirs.value, what);
    assert.deepEqual(ours.unknown, theirs.unknown, what);
  }
}

test("strategic merges give what the reference's give", () => {
  let results = 0;
  for (const line of lines) {
    if (!("result" in line)) continue;
    const { type, object, whole } = subjectOf(line.on);
    const what = `${line.on} ${JSON.stringify(line.patch)}`;
    const patch = frozen(line.patch);
    for (const document of [object, whole]) {
      const merged = attempt(() => applyStrategicMergePatch(type, document, patch));
      assert.ok(!(merged instanceof ApiError), `${what}: ${String(merged)}`);
      assertSame(type, merged, line.result, what);
    }
    results++;
  }
  assert.ok(results > 300);
});

/** A 500 of the reference is a flaw where the client is wrong. */
const ourCode = (code: number): number => (code === 500 ? 400 : code);

test("strategic merges fail where the reference's fail, with its text", () => {
  let errors = 0;
  for (const line of lines) {
    if (!("error" in line)) continue;
    const { type, object, whole } = subjectOf(line.on);
    const what = `${line.on} ${JSON.stringify(line.patch)}`;
    for (const document of [object, whole]) {
      const error: unknown = attempt(() => applyStrategicMergePatch(type, document, line.patch));
      assert.ok(error instanceof ApiError, what);
      assert.equal(error.code, ourCode(line.error.code), what);
      if (document === whole && error.code !== 422) assert.equal(error.message, line.error.message, what);
    }
    errors++;
  }
  assert.ok(errors > 50);
});

function attempt<T>(work: () => T): T | ApiError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

test("patches make nothing that is too deep to be read again", () => {
  assert.equal(maxDepth, readableDepth);
});
