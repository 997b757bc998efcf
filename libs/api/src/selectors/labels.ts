import { labelValue, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { shownCauses } from "@orch/status/shown-causes.js";
import { lex, type Token } from "./lexer.js";
import { maxRequirements, maxSelectorLength, shownSelector } from "./limits.js";

/** `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, `a<1`. */
export type Operator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  /** Sorted, without repeats. */
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

export interface LabelSelector {
  /** Sorted by key; all must hold. */
  readonly requirements: readonly Requirement[];
  /** Those that ask for one value of a key: an index over `key=value` narrows a search by any of them. */
  readonly exact: readonly { readonly key: string; readonly value: string }[];
  /** It matches all objects. */
  readonly everything: boolean;
  matches(labels: Labels | undefined): boolean;
}

/** A selector that cannot be read; the message is what the client gets. */
export class SelectorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SelectorError";
  }
}

/** Reads the text of a `labelSelector` parameter. Throws {@link SelectorError}. */
export function parseLabelSelector(text: string): LabelSelector {
  return compileRequirements(parse(text));
}

export function compileRequirements(requirements: readonly Requirement[]): LabelSelector {
  const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const tests = sorted.map(testOf);
  return {
    requirements: sorted,
    exact: sorted.flatMap((r) => {
      const [value] = r.values;
      const wantsOne = r.operator === "=" || r.operator === "==" || (r.operator === "in" && r.values.length === 1);
      return wantsOne && value !== undefined ? [{ key: r.key, value }] : [];
    }),
    everything: sorted.length === 0,
    matches: (labels = {}) => tests.every((test) => test(labels)),
  };
}

export function formatLabelSelector(selector: LabelSelector): string {
  return selector.requirements.map(formatRequirement).join(",");
}

function formatRequirement({ key, operator, values }: Requirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    case "gt":
      return `${key}>${values[0] ?? ""}`;
    case "lt":
      return `${key}<${values[0] ?? ""}`;
    default:
      return `${key}${operator}${values[0] ?? ""}`;
  }
}

function testOf({ key, operator, values }: Requirement): (labels: Labels) => boolean {
  const [first = ""] = values;
  const value = (labels: Labels): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  switch (operator) {
    case "=":
    case "==":
      return (labels) => value(labels) === first;
    case "!=":
      return (labels) => value(labels) !== first;
    case "in": {
      const wanted = new Set<string | undefined>(values);
      return (labels) => wanted.has(value(labels));
    }
    case "notin": {
      const unwanted = new Set<string | undefined>(values);
      return (labels) => !unwanted.has(value(labels));
    }
    case "exists":
      return (labels) => value(labels) !== undefined;
    case "!":
      return (labels) => value(labels) === undefined;
    case "gt":
    case "lt": {
      const bound = BigInt(first);
      return (labels) => {
        const given = value(labels);
        if (given === undefined || !isInteger(given)) return false;
        return operator === "gt" ? BigInt(given) > bound : BigInt(given) < bound;
      };
    }
  }
}

function isInteger(text: string): boolean {
  // No longer than the value of a label can be: making a number of a million digits takes long.
  return text.length <= 64 && /^[+-]?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/** The tokens still to be read. Inside values `in` and `notin` are plain words. */
interface Rest {
  peek(context?: "values"): Token;
  take(context?: "values"): Token;
}

function restOf(tokens: readonly Token[]): Rest {
  let at = 0;
  const end: Token = { kind: "end", text: "" };
  const peek = (context?: "values"): Token => {
    const token = tokens[at] ?? end;
    const plain = context === "values" && (token.kind === "in" || token.kind === "notin");
    return plain ? { kind: "identifier", text: token.text } : token;
  };
  return {
    peek,
    take: (context) => {
      const token = peek(context);
      at++;
      return token;
    },
  };
}

const found = (token: Token, expected: string): SelectorError =>
  new SelectorError(`found '${shownSelector(token.text)}', expected: ${expected}`);

/** @throws SelectorError for a selector that is longer than anybody needs */
export function refuseLong(text: string): void {
  if (text.length <= maxSelectorLength) return;
  throw new SelectorError(`a selector may have at most ${maxSelectorLength} characters, not ${text.length}`);
}

/** @throws SelectorError for more requirements than are looked at */
export function refuseMany(count: number): void {
  if (count <= maxRequirements) return;
  throw new SelectorError(`a selector may have at most ${maxRequirements} requirements`);
}

function parse(text: string): readonly Requirement[] {
  refuseLong(text);
  const rest = restOf(lex(text));
  const requirements: Requirement[] = [];
  for (;;) {
    const next = rest.peek("values");
    if (next.kind === "end") return requirements;
    if (next.kind !== "identifier" && next.kind !== "!") throw found(next, "!, identifier, or 'end of string'");
    requirements.push(requirementOf(rest));
    refuseMany(requirements.length);
    const after = rest.take("values");
    if (after.kind === "end") return requirements;
    if (after.kind !== ",") throw found(after, "',' or 'end of string'");
    const follower = rest.peek("values");
    if (follower.kind !== "identifier" && follower.kind !== "!") throw found(follower, "identifier after ','");
  }
}

function requirementOf(rest: Rest): Requirement {
  try {
    return readRequirement(rest);
  } catch (error) {
    if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function readRequirement(rest: Rest): Requirement {
  const negated = rest.peek("values").kind === "!";
  if (negated) rest.take("values");
  const key = rest.take("values");
  if (key.kind !== "identifier") throw found(key, "identifier");
  refuse(qualifiedName(key.text).map((problem) => fieldError.invalid("key", key.text, problem)));
  if (negated) return { key: key.text, operator: "!", values: [] };
  const next = rest.peek("values");
  if (next.kind === "end" || next.kind === ",") return { key: key.text, operator: "exists", values: [] };
  const operator = operatorOf(rest.take());
  const values = operator === "in" || operator === "notin" ? readValues(rest) : [readValue(rest)];
  const requirement = { key: key.text, operator, values: [...new Set(values)].sort() };
  refuse(checkValues(requirement));
  return requirement;
}

function operatorOf(token: Token): Operator {
  switch (token.kind) {
    case "in":
    case "notin":
    case "=":
    case "==":
    case "!=":
      return token.kind;
    case ">":
      return "gt";
    case "<":
      return "lt";
    default:
      throw found(token, "in, notin, =, ==, !=, gt, lt");
  }
}

/** `(a,b)`; where there is nothing, between parentheses or at one side of a comma, stands the empty value. */
function readValues(rest: Rest): readonly string[] {
  const open = rest.take("values");
  if (open.kind !== "(") throw new SelectorError(`found '${shownSelector(open.text)}' expected: '('`);
  const first = rest.peek("values");
  if (first.kind !== "identifier" && first.kind !== "," && first.kind !== ")") {
    throw found(first, "',', ')' or identifier");
  }
  const values: string[] = [];
  let wordBefore = false;
  for (;;) {
    const token = rest.take("values");
    if (token.kind === ")") return values.length === 0 ? [""] : values;
    if (token.kind === "identifier") {
      if (wordBefore) throw found(token, "',' or ')'");
      values.push(token.text);
      wordBefore = true;
      continue;
    }
    if (token.kind !== ",") throw found(token, wordBefore ? "',' or ')'" : "',', or identifier");
    if (!wordBefore) values.push("");
    wordBefore = false;
    if (rest.peek("values").kind === ")") values.push("");
  }
}

function readValue(rest: Rest): string {
  const next = rest.peek("values");
  if (next.kind === "end" || next.kind === ",") return "";
  const token = rest.take("values");
  if (token.kind !== "identifier") throw found(token, "identifier");
  return token.text;
}

function checkValues({ key, operator, values }: Requirement): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, value] of values.entries()) {
    if ((operator === "gt" || operator === "lt") && !isInteger(value)) {
      const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
      errors.push(fieldError.invalid(`values[${i}]`, value, detail));
    }
    for (const problem of labelValue(value)) errors.push(fieldError.invalid(`values[${i}][${key}]`, value, problem));
  }
  return errors;
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const { causes, more } = shownCauses(errors, errors.length);
  const texts = causes.map((e) => `${e.field}: ${e.message}`);
  if (more > 0) texts.push(`and ${more} more`);
  throw new SelectorError(texts.length === 1 ? texts.join() : `[${texts.join(", ")}]`);
}
