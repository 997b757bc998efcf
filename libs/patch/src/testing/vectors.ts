import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { ApiError } from "@orch/status/api-error.js";
import { applyConfiguration } from "../apply/apply-configuration.js";
import type { FieldVersions, FieldWrite } from "../apply/field-write.js";
import { trackUpdate, withEntries } from "../apply/track-update.js";
import { onlyFields } from "../fields/field-filter.js";
import { fieldSet } from "../fields/field-set.js";

/** One write of a scenario and what the reference answered; made by the program in `vectors/`. */
export interface Step {
  readonly op: "create" | "update" | "apply";
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly force?: boolean;
  readonly ignored?: Readonly<Record<string, readonly string[]>>;
  /** Patterns of the only fields that count, by version. */
  readonly only?: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly time: string;
  /** By version the name of its schema, from here on. */
  readonly schemas?: Readonly<Record<string, string>>;
  /** The live object where it is not the last result. */
  readonly live?: JsonObject;
  readonly object?: JsonObject;
  readonly configuration?: JsonObject;
  readonly managedFields?: readonly JsonObject[];
  /** The text of each entry's fieldsV1, where the reference keeps its order. */
  readonly fields?: readonly string[];
  readonly result?: JsonObject;
  readonly error?: Failure;
}

interface Failure {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly causes?: readonly { readonly message: string; readonly field: string }[];
}

export interface Scenario {
  readonly name: string;
  readonly kind: string;
  readonly schemas?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

/** What a scenario needs of its kind. */
export interface VectorKind {
  readonly versions: FieldVersions;
  /** A merged tree as it is printed in the end: decoded, defaulted, whole. */
  finish(object: JsonObject): JsonObject;
}

/** The rows of a file of `libs/patch/testdata`. */
export function readVectors<T>(name: string): readonly T[] {
  const lines = readFileSync(new URL(`../../testdata/${name}.jsonl`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line): T => JSON.parse(line));
}

const clientSideApply = {
  manager: "kubectl",
  annotation: "kubectl.kubernetes.io/last-applied-configuration",
};

/** Plays a scenario step by step, each upon the reference's own last result, and compares every answer. */
export function playScenario(
  { kind, schemas, steps }: Scenario,
  kindOf: (schemas: Step["schemas"]) => VectorKind,
): void {
  let live: JsonObject | undefined;
  let subject = kindOf(schemas);
  for (const [i, step] of steps.entries()) {
    if (step.schemas !== undefined) subject = kindOf(step.schemas);
    const before = step.live ?? live;
    const write = writeOf(step, kind, subject);
    const what = `step ${i}: ${step.op} by ${step.manager}`;
    const next = step.op === "apply" ? applied(what, before, step, write, subject) : tracked(what, before, step, write);
    if (next === undefined) continue;
    // What tells an update from a create in the reference.
    live = live === undefined ? withUid(next) : next;
  }
}

function writeOf(step: Step, kind: string, { versions }: VectorKind): FieldWrite {
  const { apiVersion, manager, ignored = {}, only, subresource = "", time } = step;
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return {
    versions,
    kind: { group, kind },
    apiVersion,
    subresource,
    manager,
    now: time,
    ignored: (version) => {
      const patterns = only?.[version];
      return patterns === undefined
        ? fieldSet(...(ignored[version] ?? []).map((name) => [name]))
        : onlyFields(...patterns);
    },
    clientSideApply,
  };
}

function tracked(what: string, live: JsonObject | undefined, step: Step, write: FieldWrite): JsonObject {
  const object = step.object ?? {};
  const entries = trackUpdate(live, object, write);
  assertSame(entries, step.managedFields, step.fields, what);
  return withEntries(object, step.managedFields);
}

function applied(
  what: string,
  live: JsonObject | undefined,
  step: Step,
  write: FieldWrite,
  { finish }: VectorKind,
): JsonObject | undefined {
  let object: JsonObject;
  try {
    object = applyConfiguration(live, step.configuration ?? {}, { ...write, force: step.force ?? false });
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    assertFailure(thrown, step.error, what);
    return undefined;
  }
  assert.equal(undefined, step.error?.message, what);
  assertSame(managedFieldsOf(object), managedFieldsOf(step.result), step.fields, what);
  assert.deepEqual(finish(withEntries(object, undefined)), withEntries(step.result ?? {}, undefined), what);
  return step.result;
}

/** A value of the wrong type is shown in the words of our language. */
const untold = /, got .*$/gm;

function assertFailure(error: ApiError, expected: Failure | undefined, what: string): void {
  assert.ok(expected !== undefined, `${what}: ${error.message}`);
  const causes = [...(error.details?.causes ?? [])].map(({ message, field }) => ({ message, field }));
  causes.sort((a, b) => (a.message < b.message ? -1 : a.message > b.message ? 1 : 0));
  const { message } = expected;
  // A 500 of the reference is a flaw where the client's configuration is wrong.
  const isClients = message.startsWith("failed to create typed patch object");
  const code = expected.code === 500 && isClients ? 400 : expected.code;
  assert.deepEqual(
    { code: error.code, message: told(error.message), causes },
    { code, message: told(message), causes: expected.causes ?? [] },
    what,
  );
  if (expected.reason !== undefined) assert.equal(error.reason, expected.reason, what);
}

/** Several problems stand in the order of the reference's maps, which is none. */
function told(message: string): string {
  const lines = message.replace(untold, "").split("\n");
  const [head = "", ...rest] = lines;
  return head.endsWith("errors:") ? [head, ...rest.sort()].join("\n") : lines.join("\n");
}

function managedFieldsOf(object: JsonObject | undefined): unknown {
  const metadata = object?.["metadata"];
  return isObject(metadata) ? metadata["managedFields"] : undefined;
}

/** Equal, and fieldsV1 to the byte. */
function assertSame(actual: unknown, expected: unknown, fields: readonly string[] | undefined, what: string): void {
  assert.deepEqual(actual, expected, what);
  if (fields === undefined || !Array.isArray(actual)) return;
  assert.deepEqual(
    actual.map((entry) => JSON.stringify(isObject(entry) ? entry["fieldsV1"] : undefined)),
    fields.map((text) => JSON.stringify(JSON.parse(text))),
    what,
  );
}

function withUid(object: JsonObject): JsonObject {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  return { ...object, metadata: { ...metadata, uid: "u1" } };
}
