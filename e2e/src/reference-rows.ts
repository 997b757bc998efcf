import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/**
 * One request of a file of `data` and what a server of release 1.32 answers to it. Rows run in order: later
 * ones meet what earlier ones left.
 */
export interface Row {
  /** A sentence: the name of its test. */
  readonly title: string;
  /** `POST /api/v1/namespaces`; `${name}` stands for a value that an earlier row kept. */
  readonly request?: string;
  /** In its place: the schema of a definition that is posted for a dry run. */
  readonly schema?: unknown;
  /** Sent as JSON, after {@link expand}. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly bodyText?: string;
  /** The object of the path is sent as it is now, but for these: path → value, null for what is left out. */
  readonly edit?: Readonly<Record<string, unknown>>;
  /** Asked until it is so: it follows from what other rows did. */
  readonly eventually?: boolean;
  /** `application/json` where absent and there is a body. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whose token is sent; the administrator's where absent. */
  readonly as?: "somebody" | "nobody" | "a stranger" | "an exempt user" | "a node" | "a limited user";
  /** What webhooks say to this request, by the path where they are asked; one of which nothing is said here allows. */
  readonly webhooks?: Readonly<Record<string, WebhookSaying | readonly WebhookSaying[]>>;
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
  /** What stands at paths of the answer (`items.0.metadata`, `/items/0/metadata`), whole; null for what is not there. */
  readonly at?: Readonly<Record<string, unknown>>;
  /** Of a watch: what each of its events has. */
  readonly events?: readonly unknown[];
  /** What webhooks are asked for this request, in order: each `path`, and fields of the review. */
  readonly asked?: readonly unknown[];
  /** The whole body. */
  readonly text?: unknown;
  /** Those of the request's audit event, but for who allowed it. */
  readonly annotations?: unknown;
  /** Values to keep for later rows: name → path in the answer. */
  readonly keep?: Readonly<Record<string, string>>;
  /** Why the answer differs from the reference's, where it does. */
  readonly differs?: string;
}

/** What a webhook does with a question. Of a list of them one after the other, the last again and again. */
export type WebhookSaying =
  /** An HTTP status without a body. */
  | number
  | "close"
  | "hang"
  /** JSON, or a text as it is. */
  | { readonly body: unknown; readonly code?: number; readonly headers?: Readonly<Record<string, string>> }
  /** Fields of the `response` of a review, which has the right uid and allows where they do not say otherwise. */
  | { readonly response: WebhookResponse; readonly afterMs?: number };

export interface WebhookResponse {
  /** A list is sent as a JSON patch. */
  readonly patch?: unknown;
  readonly [field: string]: unknown;
}

export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

export function readSections(name: string): readonly Section[] {
  const file = new URL(`../data/${name}`, import.meta.url);
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

/** Of a thing that has nothing else: schemas have patterns, too. */
function patternOf(expected: unknown): string | undefined {
  if (!isFields(expected) || Object.keys(expected).length !== 1) return undefined;
  const { pattern } = expected;
  return typeof pattern === "string" ? pattern : undefined;
}

/** The items of a list, each where one of its manager is expected. */
function inOrderOf(expected: readonly unknown[], actual: unknown): unknown {
  if (!Array.isArray(actual)) return actual;
  const managers = expected.map((one) => valueAt(one, "manager"));
  const place = (one: unknown): number => managers.indexOf(valueAt(one, "manager"));
  return actual.toSorted((a, b) => place(a) - place(b));
}

/** Equal but for `{"pattern": …}`, which stands for any text that it matches, and `{"anyOrder": […]}`, of field managers. */
export function assertMatches(actual: unknown, expected: unknown, at: string): void {
  const pattern = patternOf(expected);
  if (pattern !== undefined) {
    assert.match(String(actual), new RegExp(`^(?:${pattern})$`, "s"), at);
    return;
  }
  if (isFields(expected) && Array.isArray(expected["anyOrder"])) {
    assertMatches(inOrderOf(expected["anyOrder"], actual), expected["anyOrder"], at);
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
  if (!isFields(expected) || patternOf(expected) !== undefined) {
    assertMatches(actual ?? null, expected, at);
    return;
  }
  assert.ok(isFields(actual), `${at} is an object: ${JSON.stringify(actual)}`);
  for (const [key, inner] of Object.entries(expected)) assertHas(actual[key], inner, `${at}.${key}`);
}

/** What stands at `items.0.metadata` of a tree, or at a JSON pointer, as `/items/0/metadata`; undefined where nothing does. */
export function valueAt(tree: unknown, path: string): unknown {
  const steps = path.startsWith("/") ? path.slice(1).split("/").map(unescaped) : path.split(".");
  return steps.reduce(stepInto, tree);
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isFields(value) ? value[step] : undefined;
}

/** A tree with other values at paths; null takes away what stands there. */
export function edited(tree: unknown, edits: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(edits).reduce((made, [path, value]) => withValue(made, path.split("."), value), tree);
}

function withValue(tree: unknown, [step = "", ...rest]: readonly string[], value: unknown): unknown {
  const inner = rest.length === 0 ? value : withValue(stepInto(tree, step), rest, value);
  if (Array.isArray(tree)) return tree.toSpliced(Number(step), 1, ...(inner === null ? [] : [inner]));
  const { [step]: _before, ...others } = isFields(tree) ? tree : {};
  return inner === null ? others : { ...others, [step]: inner };
}
