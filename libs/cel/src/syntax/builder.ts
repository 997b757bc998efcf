import type { Value } from "../values/value.js";
import { accumulator, type Expr, type FieldEntry, type MapEntry } from "./ast.js";
import { type Issue, type Location, locate, nowhere } from "./source.js";

/** Copies that macros make of their targets double with each nesting; more nodes than this are refused. */
const nodeLimit = 200_000;

/** Why the reading of a text ends at once. */
export class Abandoned {
  constructor(readonly issues: readonly Issue[]) {}
}

/** Makes nodes, counts them and collects the errors of one text. */
export interface Builder {
  readonly text: string;
  readonly issues: Issue[];
  literal(at: number, value: Value): Expr;
  ident(at: number, name: string): Expr;
  select(at: number, operand: Expr, field: string, test?: boolean): Expr;
  call(at: number, name: string, args: readonly Expr[]): Expr;
  member(at: number, target: Expr, name: string, args: readonly Expr[]): Expr;
  list(at: number, elements: readonly Expr[], optional?: ReadonlySet<number>): Expr;
  map(at: number, entries: readonly MapEntry[]): Expr;
  entry(at: number, parts: Omit<MapEntry, "id" | "at">): MapEntry;
  struct(at: number, name: string, fields: readonly FieldEntry[]): Expr;
  field(at: number, parts: Omit<FieldEntry, "id" | "at">): FieldEntry;
  loop(at: number, parts: Loop): Expr;
  /** A copy with nodes of its own at the places of the original. */
  copy(e: Expr): Expr;
  broken(at: number): Expr;
  /** Reports an error of the place and gives what stands there instead. */
  report(at: number, message: string): Expr;
  reportAt(at: Location, message: string): void;
  /** What a macro's expansion was written as, by the id of the expansion. */
  readonly written: Map<number, MacroText>;
  /** Nodes made so far: the highest id. */
  nodes(): number;
}

export interface MacroText {
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface Loop {
  readonly range: Expr;
  readonly variable: string;
  readonly second?: string;
  readonly accu?: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export function createBuilder(text: string): Builder {
  let count = 0;
  const issues: Issue[] = [];
  const id = (): number => {
    count += 1;
    if (count > nodeLimit) {
      throw new Abandoned([{ at: nowhere, message: `macro expansion limit exceeded: ${nodeLimit}` }]);
    }
    return count;
  };
  const none: ReadonlySet<number> = new Set();
  const builder: Builder = {
    text,
    issues,
    literal: (at, value) => ({ kind: "literal", id: id(), at, value }),
    ident: (at, name) => ({ kind: "ident", id: id(), at, name }),
    select: (at, operand, field, test = false) => ({ kind: "select", id: id(), at, operand, field, test }),
    call: (at, name, args) => ({ kind: "call", id: id(), at, function: name, target: undefined, args }),
    member: (at, target, name, args) => ({ kind: "call", id: id(), at, function: name, target, args }),
    list: (at, elements, optional = none) => ({ kind: "list", id: id(), at, elements, optional }),
    map: (at, entries) => ({ kind: "map", id: id(), at, entries }),
    entry: (at, parts) => ({ id: id(), at, ...parts }),
    struct: (at, name, fields) => ({ kind: "struct", id: id(), at, name, fields }),
    field: (at, parts) => ({ id: id(), at, ...parts }),
    loop: (at, parts) => ({
      kind: "comprehension",
      id: id(),
      at,
      ...parts,
      second: parts.second,
      accu: parts.accu ?? accumulator,
    }),
    copy: (e) => copyOf(e, id),
    broken: (at) => ({ kind: "broken", id: id(), at }),
    report: (at, message) => {
      builder.reportAt(locate(text, at), message);
      return builder.broken(at);
    },
    reportAt: (at, message) => {
      issues.push({ at, message });
    },
    written: new Map(),
    nodes: () => count,
  };
  return builder;
}

function copyOf(e: Expr, id: () => number): Expr {
  const copy = (part: Expr): Expr => copyOf(part, id);
  const own = { id: id() };
  switch (e.kind) {
    case "select":
      return { ...e, ...own, operand: copy(e.operand) };
    case "call":
      return { ...e, ...own, target: e.target && copy(e.target), args: e.args.map(copy) };
    case "list":
      return { ...e, ...own, elements: e.elements.map(copy) };
    case "map":
      return {
        ...e,
        ...own,
        entries: e.entries.map((entry) => ({ ...entry, id: id(), key: copy(entry.key), value: copy(entry.value) })),
      };
    case "struct":
      return { ...e, ...own, fields: e.fields.map((field) => ({ ...field, id: id(), value: copy(field.value) })) };
    case "comprehension":
      return {
        ...e,
        ...own,
        range: copy(e.range),
        init: copy(e.init),
        condition: copy(e.condition),
        step: copy(e.step),
        result: copy(e.result),
      };
    default:
      return { ...e, ...own };
  }
}

/** The dotted name that an expression spells, if it does. */
export function qualifiedName(e: Expr): string | undefined {
  if (e.kind === "ident") return e.name;
  if (e.kind !== "select" || e.test) return undefined;
  const operand = qualifiedName(e.operand);
  return operand === undefined ? undefined : `${operand}.${e.field}`;
}
