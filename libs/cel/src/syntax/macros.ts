import { accumulator, type Expr } from "./ast.js";
import type { Builder } from "./builder.js";

/** A call that the parser writes out. Undefined: the call is not meant, and stays one. */
export interface Macro {
  readonly name: string;
  readonly member: boolean;
  readonly argCount: number;
  expand(b: Builder, at: number, call: MacroCall): Expr | undefined;
}

export interface MacroCall {
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

const name = (e: Expr | undefined): string | undefined => (e?.kind === "ident" ? e.name : undefined);

const accu = (b: Builder, at: number): Expr => b.ident(at, accumulator);

const has: Macro = {
  name: "has",
  member: false,
  argCount: 1,
  expand(b, at, { args: [arg] }) {
    if (arg?.kind === "select") return b.select(at, arg.operand, arg.field, true);
    return b.report(arg?.at ?? at, "invalid argument to has() macro");
  },
};

/** What a loop is made of, given the parts that its macro takes after its variables. */
interface LoopShape {
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** The variables of the elements stand ready as `key` (the first one). */
type Shape = (b: Builder, at: number, parts: { readonly args: readonly Expr[]; readonly key: string }) => LoopShape;

const missing = (b: Builder, at: number, e: Expr | undefined): Expr => e ?? b.broken(at);

const all: Shape = (b, at, { args: [predicate] }) => ({
  init: b.literal(at, true),
  condition: b.call(at, "@not_strictly_false", [accu(b, at)]),
  step: b.call(at, "_&&_", [accu(b, at), missing(b, at, predicate)]),
  result: accu(b, at),
});

const exists: Shape = (b, at, { args: [predicate] }) => ({
  init: b.literal(at, false),
  condition: b.call(at, "@not_strictly_false", [b.call(at, "!_", [accu(b, at)])]),
  step: b.call(at, "_||_", [accu(b, at), missing(b, at, predicate)]),
  result: accu(b, at),
});

const existsOne: Shape = (b, at, { args: [predicate] }) => ({
  init: b.literal(at, 0),
  condition: b.literal(at, true),
  step: b.call(at, "_?_:_", [
    missing(b, at, predicate),
    b.call(at, "_+_", [accu(b, at), b.literal(at, 1)]),
    accu(b, at),
  ]),
  result: b.call(at, "_==_", [accu(b, at), b.literal(at, 1)]),
});

/** `step` where the first of two arguments holds, or always where there is but one. */
function filtered(b: Builder, at: number, args: readonly Expr[], step: (value: Expr) => Expr): Expr {
  const [first, second] = args;
  if (second === undefined) return step(missing(b, at, first));
  return b.call(at, "_?_:_", [missing(b, at, first), step(second), accu(b, at)]);
}

const collect =
  (empty: (b: Builder, at: number) => Expr, add: (b: Builder, at: number, key: string, value: Expr) => Expr): Shape =>
  (b, at, { args, key }) => ({
    init: empty(b, at),
    condition: b.literal(at, true),
    step: filtered(b, at, args, (value) => add(b, at, key, value)),
    result: accu(b, at),
  });

const emptyList = (b: Builder, at: number): Expr => b.list(at, []);
const emptyMap = (b: Builder, at: number): Expr => b.map(at, []);

const toList = collect(emptyList, (b, at, _key, value) => b.call(at, "_+_", [accu(b, at), b.list(at, [value])]));
const toMap = collect(emptyMap, (b, at, key, value) =>
  b.call(at, "cel.@mapInsert", [accu(b, at), b.ident(at, key), value]),
);
const toEntries = collect(emptyMap, (b, at, _key, value) => b.call(at, "cel.@mapInsert", [accu(b, at), value]));

function overElements(macro: string, argCount: number, notAName: string, shape: Shape): Macro {
  return {
    name: macro,
    member: true,
    argCount,
    expand(b, at, { target, args }) {
      const variable = name(args[0]);
      if (variable === undefined) return b.report(args[0]?.at ?? at, notAName);
      const parts = shape(b, at, { args: args.slice(1), key: variable });
      return b.loop(at, { range: missing(b, at, target), variable, ...parts });
    },
  };
}

const simple = "argument must be a simple name";
const identifier = "argument is not an identifier";

/** `filter` gives the variable itself back. */
const filter: Macro = {
  name: "filter",
  member: true,
  argCount: 2,
  expand(b, at, { target, args: [first, predicate] }) {
    const variable = name(first);
    if (variable === undefined || first === undefined) return b.report(first?.at ?? at, identifier);
    const parts = toList(b, at, { args: [missing(b, at, predicate), first], key: variable });
    return b.loop(at, { range: missing(b, at, target), variable, ...parts });
  },
};

export const standardMacros: readonly Macro[] = [
  has,
  overElements("all", 2, simple, all),
  overElements("exists", 2, simple, exists),
  overElements("exists_one", 2, simple, existsOne),
  overElements("map", 2, identifier, toList),
  overElements("map", 3, identifier, toList),
  filter,
];

function overPairs(macro: string, argCount: number, shape: Shape): Macro {
  return {
    name: macro,
    member: true,
    argCount,
    expand(b, at, { target, args: [first, second, ...rest] }) {
      const wrong = pairProblem(first, second);
      if (wrong !== undefined) return b.report(wrong.e?.at ?? at, wrong.message);
      const variable = name(first) ?? "";
      const parts = shape(b, at, { args: rest, key: variable });
      return b.loop(at, { range: missing(b, at, target), variable, second: name(second) ?? "", ...parts });
    },
  };
}

function pairProblem(
  first: Expr | undefined,
  second: Expr | undefined,
): { readonly e: Expr | undefined; readonly message: string } | undefined {
  const names = [name(first), name(second)];
  if (names[0] === undefined) return { e: first, message: simple };
  if (names[1] === undefined) return { e: second, message: simple };
  if (names[0] === names[1]) return { e: second, message: `duplicate variable name: ${names[0]}` };
  const overwrites = names.indexOf(accumulator);
  if (overwrites === -1) return undefined;
  return { e: overwrites === 0 ? first : second, message: "iteration variable overwrites accumulator variable" };
}

export const twoVariableMacros: readonly Macro[] = [
  overPairs("all", 3, all),
  overPairs("exists", 3, exists),
  overPairs("existsOne", 3, existsOne),
  overPairs("exists_one", 3, existsOne),
  overPairs("transformList", 3, toList),
  overPairs("transformList", 4, toList),
  overPairs("transformMap", 3, toMap),
  overPairs("transformMap", 4, toMap),
  overPairs("transformMapEntry", 3, toEntries),
  overPairs("transformMapEntry", 4, toEntries),
];

/** A loop over nothing, of which the accumulator is the variable: how a name is bound to a value. */
function bind(b: Builder, at: number, parts: { variable: string; init: Expr; result: Expr }): Expr {
  return b.loop(at, {
    range: b.list(at, []),
    variable: "#unused",
    accu: parts.variable,
    init: parts.init,
    condition: b.literal(at, false),
    step: b.ident(at, parts.variable),
    result: parts.result,
  });
}

function overOptional(macro: string, wrap: (b: Builder, at: number, e: Expr) => Expr): Macro {
  return {
    name: macro,
    member: true,
    argCount: 2,
    expand(b, at, { target, args: [first, value] }) {
      const variable = name(first);
      const message = `${macro}() variable name must be a simple identifier`;
      if (variable === undefined) return b.report(first?.at ?? at, message);
      const operand = missing(b, at, target);
      const init = b.member(at, b.copy(operand), "value", []);
      const bound = bind(b, at, { variable, init, result: missing(b, at, value) });
      return b.call(at, "_?_:_", [
        b.member(at, operand, "hasValue", []),
        wrap(b, at, bound),
        b.call(at, "optional.none", []),
      ]);
    },
  };
}

export const optionalMacros: readonly Macro[] = [
  overOptional("optMap", (b, at, e) => b.call(at, "optional.of", [e])),
  overOptional("optFlatMap", (_b, _at, e) => e),
];

export const bindingMacros: readonly Macro[] = [
  {
    name: "bind",
    member: true,
    argCount: 3,
    expand(b, at, { target, args: [first, init, result] }) {
      if (name(target) !== "cel") return undefined;
      const variable = name(first);
      if (variable === undefined) {
        return b.report(first?.at ?? at, "cel.bind() variable names must be simple identifiers");
      }
      return bind(b, at, { variable, init: missing(b, at, init), result: missing(b, at, result) });
    },
  },
];
