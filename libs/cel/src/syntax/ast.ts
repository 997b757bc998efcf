import type { Value } from "../values/value.js";

interface Node {
  /** Unique in its expression, from 1: the index into what the checker learns of the node. */
  readonly id: number;
  /** UTF-16 offset in the text; -1 where the node has no place. */
  readonly at: number;
}

export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: Value;
}

export interface Ident extends Node {
  readonly kind: "ident";
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly test: boolean;
}

export interface Call extends Node {
  readonly kind: "call";
  readonly function: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: "list";
  readonly elements: readonly Expr[];
  /** Indexes of elements written `?e`. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface FieldEntry extends Node {
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly FieldEntry[];
}

/** A loop: `accu` starts as `init`; while `condition` holds, `step` of each element becomes it; `result` is the value. */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly range: Expr;
  readonly variable: string;
  readonly second: string | undefined;
  readonly accu: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** In the place of what could not be read: an error was reported for it. */
export interface Broken extends Node {
  readonly kind: "broken";
}

export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension | Broken;

export const accumulator = "__result__";

/** What a node's own parts are, in the order of evaluation. */
export function children(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case "select":
      return [e.operand];
    case "call":
      return e.target === undefined ? e.args : [e.target, ...e.args];
    case "list":
      return e.elements;
    case "map":
      return e.entries.flatMap((entry) => [entry.key, entry.value]);
    case "struct":
      return e.fields.map((field) => field.value);
    case "comprehension":
      return [e.range, e.init, e.condition, e.step, e.result];
    default:
      return [];
  }
}
