import { type JsonSchema, propertyOf, valuesOf } from "./json-schema.js";

/** A field that a path leads to: `.spec.replicas` → `["spec", "replicas"]`, and its schema. */
export interface ResolvedPath {
  readonly steps: readonly string[];
  /** As errors name the field, from the value on: `spec.labels[a.b]`. */
  readonly text: string;
  readonly schema: JsonSchema;
}

// A quote that nothing closes takes the rest: to look for its end again at each quote inside would take long.
const tokens = /\.|\[|\]|'(?:[^'\\]|\\.)*(?:'|$)|[^.[\]']+|'/gsy;
const quoted = /^'(?:[^'\\]|\\.)*'$/s;

/**
 * Follows a path of names (`.spec['a.b']`) through a schema. A text says why it leads nowhere. `brackets`: names may
 * stand in brackets.
 */
export function resolvePath(
  path: string,
  schema: JsonSchema,
  options: { readonly brackets: boolean },
): ResolvedPath | string {
  const words = path.match(tokens) ?? [];
  const steps: string[] = [];
  let text = "";
  let found = schema;
  for (let i = 0; i < words.length; i++) {
    const step = readStep(words, i, options.brackets);
    if (typeof step === "string") return step;
    const next = stepInto(found, step.name);
    if (next === undefined) return "does not refer to a valid field";
    if (step.unclosed !== undefined) return step.unclosed;
    const isField = found.properties !== undefined;
    text += isField ? `${text === "" ? "" : "."}${step.name}` : `[${step.name}]`;
    found = next;
    steps.push(step.name);
    i += step.words - 1;
  }
  return { steps, text, schema: found };
}

interface Step {
  readonly name: string;
  /** How many words it takes. */
  readonly words: number;
  /** What is wrong behind the name. */
  readonly unclosed: string | undefined;
}

const ended = "unexpected end of JSON path";

function readStep(words: readonly string[], i: number, brackets: boolean): Step | string {
  const next = words[i + 1];
  switch (words[i]) {
    case ".":
      return next === undefined || isUnclosed(next) ? ended : { name: next, words: 2, unclosed: undefined };
    case "[": {
      if (!brackets) return "array notation is not allowed";
      if (next === undefined) return ended;
      if (!quoted.test(next)) return `expected single quoted string but got ${shownWord(next)}`;
      const close = words[i + 2];
      const unclosed = close === undefined ? ended : `expected ] but got ${close}`;
      const name = next.slice(1, -1).replace(/\\(.)/gs, "$1");
      return { name, words: 3, unclosed: close === "]" ? undefined : unclosed };
    }
    default:
      return `expected [ or . but got: ${shownWord(words[i] ?? "")}`;
  }
}

function isUnclosed(word: string): boolean {
  return word.startsWith("'") && !quoted.test(word);
}

function shownWord(word: string): string {
  return isUnclosed(word) ? "'" : word;
}

function stepInto(schema: JsonSchema, name: string): JsonSchema | undefined {
  return schema.properties === undefined ? valuesOf(schema) : propertyOf(schema, name);
}
