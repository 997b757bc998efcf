import { isObject } from "@orch/schema/descriptor.js";

/**
 * Finds the first value at a path of a printer column (`.spec.ports[?(@.name=="http")].port`, rules: Table representation);
 * undefined where there is none.
 */
export type FindFirst = (root: unknown) => unknown;

type Step =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "every" }
  /** The value and everything below it. */
  | { readonly type: "below" }
  /** As in Go: from, up to, step; a negative position counts from the end. */
  | { readonly type: "slice"; readonly from: number; readonly to: number | undefined; readonly by: number }
  | { readonly type: "union"; readonly steps: readonly Step[] }
  /** Several steps, one after the other. */
  | { readonly type: "path"; readonly steps: readonly Step[] }
  | { readonly type: "filter"; readonly left: Operand; readonly operator: Operator; readonly right: Operand };

type Operand =
  | { readonly type: "path"; readonly steps: readonly Step[] }
  | { readonly type: "value"; readonly value: string | number | boolean };

const operators = ["==", "!=", "<=", ">=", "<", ">"] as const;
type Operator = (typeof operators)[number] | "exists";

/** Values that one search looks at: a path of many `..` over a large object ends without a result. */
const mostLooks = 100_000;

/** The same with every value, in order. */
export type FindAll = (root: unknown) => Iterable<unknown>;

/** Undefined where the text is no path. */
export function parseJsonPath(text: string): FindFirst | undefined {
  const find = parseJsonPaths(text);
  if (find === undefined) return undefined;
  return (root) => {
    for (const value of find(root)) return value;
    return undefined;
  };
}

/** Undefined where the text is no path. */
export function parseJsonPaths(text: string): FindAll | undefined {
  const steps = new Parser(text).whole();
  return steps === undefined ? undefined : (root) => walk([root], steps, { left: mostLooks });
}

function* walk(values: Iterable<unknown>, steps: readonly Step[], looks: { left: number }): Generator<unknown> {
  const [step, ...rest] = steps;
  for (const value of values) {
    if (--looks.left < 0) return;
    if (step === undefined) yield value;
    else yield* walk(taken(value, step, looks), rest, looks);
  }
}

function* taken(value: unknown, step: Step, looks: { left: number }): Generator<unknown> {
  switch (step.type) {
    case "field":
      if (isObject(value) && Object.hasOwn(value, step.name)) yield value[step.name];
      return;
    case "every":
      yield* childrenOf(value);
      return;
    case "below":
      yield* selfAndBelow(value, looks);
      return;
    case "slice":
      if (Array.isArray(value)) yield* sliced(value, step);
      return;
    case "union":
      for (const one of step.steps) yield* taken(value, one, looks);
      return;
    case "path":
      yield* walk([value], step.steps, looks);
      return;
    case "filter":
      for (const child of childrenOf(value)) if (holds(child, step, looks)) yield child;
  }
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function* selfAndBelow(root: unknown, looks: { left: number }): Generator<unknown> {
  const waiting = [root];
  for (let value = waiting.pop(); waiting.length > 0 || value !== undefined; value = waiting.pop()) {
    if (--looks.left < 0) return;
    yield value;
    for (const child of [...childrenOf(value)].reverse()) waiting.push(child);
  }
}

function* sliced(list: readonly unknown[], { from, to, by }: Extract<Step, { type: "slice" }>): Generator<unknown> {
  const at = (position: number): number => (position < 0 ? position + list.length : position);
  const end = Math.min(to === undefined ? list.length : at(to), list.length);
  for (let i = Math.max(at(from), 0); i < end; i += by) yield list[i];
}

function holds(child: unknown, filter: Extract<Step, { type: "filter" }>, looks: { left: number }): boolean {
  const [left] = valuesOf(child, filter.left, looks);
  if (left === undefined) return false;
  if (filter.operator === "exists") return true;
  const [right] = valuesOf(child, filter.right, looks);
  if (right === undefined) return false;
  return compared(left, right, filter.operator);
}

function valuesOf(child: unknown, operand: Operand, looks: { left: number }): readonly unknown[] {
  if (operand.type === "value") return [operand.value];
  for (const value of walk([child], operand.steps, looks)) return [value];
  return [];
}

function compared(left: unknown, right: unknown, operator: Exclude<Operator, "exists">): boolean {
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  const ordered =
    (typeof left === "number" && typeof right === "number") || (typeof left === "string" && typeof right === "string");
  if (!ordered) return false;
  switch (operator) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
  }
}

const word = /(?:\\.|[^\\.[\]()=!<>,\s])+/sy;
const number = /-?\d+(?:\.\d+)?/y;

/** A name in quotes is read as what follows a dot is: dots in it are steps, too, unless they are escaped. */
function bracketed(name: string): Step {
  const steps = /[.\\]/.test(name) ? new Parser(`.${name}`).whole() : undefined;
  return steps === undefined ? { type: "field", name } : { type: "path", steps };
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): readonly Step[] | undefined {
    try {
      const steps = this.#steps();
      return this.#at === this.#text.length ? steps : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  #steps(): readonly Step[] {
    const steps: Step[] = [];
    for (;;) {
      if (this.#takes("..")) steps.push({ type: "below" }, ...this.#named());
      else if (this.#takes(".")) steps.push(...this.#named());
      else if (this.#takes("[")) steps.push(this.#bracket());
      else return steps;
    }
  }

  /** What follows a dot: a name, `*`, or nothing before a bracket or the end. */
  #named(): readonly Step[] {
    if (this.#takes("*")) return [{ type: "every" }];
    const name = this.#match(word);
    return name === undefined ? [] : [{ type: "field", name: name.replaceAll("\\", "") }];
  }

  #bracket(): Step {
    const step = this.#takes("?(") ? this.#filter() : this.#union();
    this.#must("]");
    return step;
  }

  #union(): Step {
    const steps = [this.#member()];
    while (this.#takes(",")) steps.push(this.#member());
    const [only] = steps;
    return only !== undefined && steps.length === 1 ? only : { type: "union", steps };
  }

  #member(): Step {
    this.#blanks();
    if (this.#takes("*")) return { type: "every" };
    const text = this.#quoted();
    if (text !== undefined) return bracketed(text);
    const from = this.#match(number);
    if (!this.#takes(":")) {
      if (from === undefined) throw new SyntaxError("a position, a name or *");
      const at = Number(from);
      return { type: "slice", from: at, to: at === -1 ? undefined : at + 1, by: 1 };
    }
    const to = this.#match(number);
    const by = this.#takes(":") ? Number(this.#match(number) ?? 1) : 1;
    if (by < 1) throw new SyntaxError("a step of at least 1");
    return { type: "slice", from: Number(from ?? 0), to: to === undefined ? undefined : Number(to), by };
  }

  #filter(): Step {
    const left = this.#operand();
    this.#blanks();
    const operator = operators.find((one) => this.#takes(one));
    const right = operator === undefined ? left : this.#operand();
    this.#blanks();
    this.#must(")");
    return { type: "filter", left, operator: operator ?? "exists", right };
  }

  #operand(): Operand {
    this.#blanks();
    if (this.#takes("@")) return { type: "path", steps: this.#steps() };
    const quoted = this.#quoted();
    if (quoted !== undefined) return { type: "value", value: quoted };
    if (this.#takes("true")) return { type: "value", value: true };
    if (this.#takes("false")) return { type: "value", value: false };
    const text = this.#match(number);
    if (text === undefined) throw new SyntaxError("a value or a path");
    return { type: "value", value: Number(text) };
  }

  #quoted(): string | undefined {
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") return undefined;
    const end = this.#text.indexOf(quote, this.#at + 1);
    if (end < 0) throw new SyntaxError("the end of a quoted text");
    const text = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return text;
  }

  #blanks(): void {
    while (this.#text[this.#at] === " ") this.#at += 1;
  }

  #takes(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #must(text: string): void {
    if (!this.#takes(text)) throw new SyntaxError(text);
  }

  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const [text] = expression.exec(this.#text) ?? [];
    if (text !== undefined) this.#at += text.length;
    return text;
  }
}
