import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/**
 * One request of `data/reference.json` and what a server of release 1.32 answers to it. Rows run in order: later
 * ones meet what earlier ones left.
 */
export interface Row {
  /** A sentence: the name of its test. */
  readonly title: string;
  /** `POST /api/v1/namespaces`; `${name}` stands for a value that an earlier row kept. */
  readonly request: string;
  /** Sent as JSON, after {@link expand}. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly bodyText?: string;
  /** `application/json` where absent and there is a body. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whose token is sent; the administrator's where absent. */
  readonly as?: "somebody" | "nobody" | "a stranger";
  readonly status: number;
  readonly reason?: string;
  /** Exact, or `{"pattern": …}`. */
  readonly message?: unknown;
  /** The whole of `details`; `{"pattern": …}` may stand for any text in it. */
  readonly details?: unknown;
  /** Headers of the answer, by lower-case name. */
  readonly answerHeaders?: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
  /** Fields that the answer has, with null for one that it has not; others may stand beside them. */
  readonly object?: unknown;
  /** The whole body. */
  readonly text?: unknown;
  /** Values to keep for later rows: name → path in the answer. */
  readonly keep?: Readonly<Record<string, string>>;
  /** Why the answer differs from the reference's, where it does. */
  readonly differs?: string;
}

export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

export function readSections(): readonly Section[] {
  const file = new URL("../data/reference.json", import.meta.url);
  const { sections }: { readonly sections: readonly Section[] } = JSON.parse(readFileSync(file, "utf8"));
  return sections;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Writes out what a data file says in short:
 * `{"times": 2, "text": "x"}` → `"xx"`; `{"times": 2, "item": {"name": "p#"}}` → `[{"name": "p0"}, {"name": "p1"}]`.
 */
export function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expand);
  if (!isFields(value)) return value;
  const { times, text, item } = value;
  if (typeof times === "number" && typeof text === "string") return text.repeat(times);
  if (typeof times === "number" && item !== undefined) {
    const one = JSON.stringify(item);
    return Array.from({ length: times }, (_, i) => expand(JSON.parse(one.replaceAll("#", String(i)))));
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]));
}

/** Equal but for `{"pattern": …}`, which stands for any text that it matches. */
export function assertMatches(actual: unknown, expected: unknown, at: string): void {
  if (isFields(expected) && typeof expected["pattern"] === "string") {
    assert.match(String(actual), new RegExp(`^(?:${expected["pattern"]})$`, "s"), at);
    return;
  }
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), `${at} is a list`);
    assert.equal(actual.length, expected.length, `${at}: ${JSON.stringify(actual)}`);
    expected.forEach((inner, i) => void assertMatches(actual[i], inner, `${at}[${i}]`));
    return;
  }
  if (!isFields(expected) || !isFields(actual)) {
    assert.deepEqual(actual, expected, at);
    return;
  }
  assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort(), `the fields of ${at}`);
  for (const [key, inner] of Object.entries(expected)) assertMatches(actual[key], inner, `${at}.${key}`);
}

/** Every expected field is there; null expects none. Lists are of the same length. */
export function assertHas(actual: unknown, expected: unknown, at: string): void {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    assert.equal(actual.length, expected.length, `${at}: ${JSON.stringify(actual)}`);
    expected.forEach((inner, i) => void assertHas(actual[i], inner, `${at}[${i}]`));
    return;
  }
  if (!isFields(expected) || expected["pattern"] !== undefined) {
    assertMatches(actual ?? null, expected, at);
    return;
  }
  assert.ok(isFields(actual), `${at} is an object: ${JSON.stringify(actual)}`);
  for (const [key, inner] of Object.entries(expected)) assertHas(actual[key], inner, `${at}.${key}`);
}

/** `metadata.uid` of a tree, as text. */
export function valueAt(tree: unknown, path: string): string {
  let value: unknown = tree;
  for (const step of path.split(".")) value = isFields(value) ? value[step] : undefined;
  assert.ok(value !== undefined, `the answer has ${path}`);
  return String(value);
}
