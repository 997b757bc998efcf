import type { Checked } from "../check/check.js";
import { absolute } from "../check/check.js";
import { paramsOf, sameType, type Type, t } from "../check/types.js";
import type { CostTable } from "../compile/compile.js";
import type { LibraryFunction } from "../libraries/library.js";
import { accumulator, type Call, type Comprehension, type Expr } from "../syntax/ast.js";
import { codePoints } from "../syntax/source.js";
import {
  add,
  type CallEstimate,
  exactly,
  multiply,
  type Range,
  range,
  type Sized,
  scale,
  unbounded,
  union,
} from "./sizes.js";

export interface EstimateOptions {
  readonly functions: ReadonlyMap<string, LibraryFunction>;
  readonly costs: CostTable;
  readonly domain: string;
  /** The size of what a path of declared variables leads to; undefined where nothing is declared. */
  readonly declared?: (path: readonly string[]) => Range | undefined;
}

/** What an expression may cost at least and at most, before it ever ran. */
export function estimate(checked: Checked, options: EstimateOptions): Range {
  return createEstimator(checked, options)(checked.expr);
}

const nothing = exactly(0);
const once = exactly(1);
const scalars = new Set(["bool", "double", "duration", "int", "timestamp", "uint", "wrapper"]);

function createEstimator(checked: Checked, options: EstimateOptions): (e: Expr) => Range {
  const { functions, costs } = options;
  const paths: (readonly string[] | undefined)[] = [];
  const sizes: (Range | undefined)[] = [];
  /** Ranges of the loops around a variable, the innermost last. */
  const ranges = new Map<string, Expr[]>();

  const typeOf = (e: Expr): Type => checked.types[e.id] ?? t.dyn;

  const nodeOf = (e: Expr): Sized => {
    const path = paths[e.id];
    const own = path !== undefined && path[0] === accumulator ? undefined : path;
    return { expr: e, type: typeOf(e), path: own, size: sizes[e.id] ?? literalSize(e) };
  };
  const sizeOf = (node: Sized): Range =>
    node.size ?? (node.path && options.declared?.(node.path)) ?? range(0, unbounded);
  const lengthOf = (node: Sized): Range => {
    const known = node.size ?? (node.path && options.declared?.(node.path));
    return known ?? (scalars.has(node.type.kind) ? once : range(0, unbounded));
  };
  const elementOf = (node: Sized): Sized | undefined => {
    const [type] = paramsOf(node.type);
    if (type === undefined) return undefined;
    return { expr: undefined, type, path: node.path && [...node.path, "@items"], size: undefined };
  };

  const cost = (e: Expr): Range => {
    switch (e.kind) {
      case "ident":
        return identCost(e, e.name);
      case "select":
        return selectCost(e);
      case "call":
        return callCost(e);
      case "list":
        return add(exactly(costs.list), ...e.elements.map(cost));
      case "map":
        return add(exactly(costs.map), ...e.entries.flatMap((entry) => [cost(entry.key), cost(entry.value)]));
      case "struct":
        return add(exactly(costs.struct), ...e.fields.map((field) => cost(field.value)));
      case "comprehension":
        return loopCost(e);
      default:
        return nothing;
    }
  };

  const identCost = (e: Expr, name: string): Range => {
    const over = ranges.get(name)?.at(-1);
    if (over === undefined) {
      paths[e.id] = [absolute(name)];
      return once;
    }
    const from = paths[over.id] ?? [];
    const { kind } = typeOf(over);
    if (kind === "list") paths[e.id] = [...from, "@items"];
    if (kind === "map") paths[e.id] = [...from, "@keys"];
    return once;
  };

  const selectCost = (e: Expr & { kind: "select" }): Range => {
    const reference = checked.references[e.id];
    if (reference !== undefined) return identCost(e, "name" in reference ? reference.name : "");
    const operand = cost(e.operand);
    if (e.test) return operand;
    paths[e.id] = [...(paths[e.operand.id] ?? []), e.field];
    const { kind } = typeOf(e.operand);
    return kind === "map" || kind === "struct" || kind === "param" ? add(operand, once) : operand;
  };

  const callCost = (e: Call): Range => {
    const argCosts = e.args.map(cost);
    const args = e.args.map(nodeOf);
    const reference = checked.references[e.id];
    if (reference?.kind !== "function" || reference.overloads.length === 0) return nothing;
    const receiver = reference.receiver ? e.target : undefined;
    const targetCost = receiver === undefined ? nothing : cost(receiver);
    const target = receiver && nodeOf(receiver);
    let total: Range | undefined;
    let size: Range | undefined;
    for (const overload of reference.overloads) {
      const found = overloadCost(reference.name, { overload, target, args, argCosts });
      total = total === undefined ? found.cost : union(total, found.cost);
      if (found.size !== undefined) size = size === undefined ? found.size : union(size, found.size);
      const from = e.args[0] && paths[e.args[0].id];
      if (overload === "index_list") paths[e.id] = [...(from ?? []), "@items"];
      if (overload === "index_map") paths[e.id] = [...(from ?? []), "@values"];
    }
    if (size !== undefined) sizes[e.id] = size;
    return add(targetCost, total ?? nothing);
  };

  const overloadCost = (
    name: string,
    call: {
      readonly overload: string;
      readonly target: Sized | undefined;
      readonly args: readonly Sized[];
      readonly argCosts: readonly Range[];
    },
  ): CallEstimate => {
    const { argCosts, args } = call;
    const [a, b, c] = argCosts;
    if (call.overload === "logical_and" || call.overload === "logical_or") {
      return { cost: { min: a?.min ?? 0n, max: add(a ?? nothing, b ?? nothing).max } };
    }
    if (call.overload === "conditional" && args[1] !== undefined && args[2] !== undefined) {
      const branches = union(b ?? nothing, c ?? nothing);
      return { cost: add(a ?? nothing, branches), size: union(lengthOf(args[1]), lengthOf(args[2])) };
    }
    const fn = functions.get(name);
    const own = fn?.estimate ?? fn?.overloads.find(({ id }) => id === call.overload)?.estimate;
    const flat = name === "_==_" ? flatEquality(args, options.domain) : undefined;
    const found = flat ?? own?.({ ...call, sizeOf, lengthOf, elementOf }) ?? { cost: once };
    return { ...found, cost: add(found.cost, ...argCosts) };
  };

  const loopCost = (e: Comprehension): Range => {
    const before = [cost(e.range), cost(e.init)];
    const over = ranges.get(e.variable) ?? [];
    ranges.set(e.variable, [...over, e.range]);
    const step = add(cost(e.condition), cost(e.step));
    ranges.set(e.variable, over);
    const result = cost(e.result);
    const count = lengthOf(nodeOf(e.range));
    sizes[e.id] = count;
    return add(...before, result, multiply(count, step));
  };

  return cost;
}

/** Sizes that are written down. */
function literalSize(e: Expr): Range | undefined {
  if (e.kind === "list") return exactly(e.elements.length);
  if (e.kind === "map") return exactly(e.entries.length);
  if (e.kind !== "literal") return undefined;
  if (typeof e.value === "string") return exactly(codePoints(e.value));
  return exactly(e.value instanceof Uint8Array ? e.value.length : 1);
}

const flatTypes = [
  "Quantity",
  "Semver",
  "authorization.Authorizer",
  "authorization.PathCheck",
  "authorization.GroupCheck",
];
const moreFlatTypes = ["authorization.ResourceCheck", "authorization.Decision"];

/** Equality of the product's own types is one look, whatever they hold. */
function flatEquality([a, b]: readonly Sized[], domain: string): CallEstimate | undefined {
  if (a === undefined || b === undefined || !sameType(a.type, b.type)) return undefined;
  const { type } = a;
  if (type.kind === "opaque" && (type.name === "net.IP" || type.name === "net.CIDR")) return { cost: once };
  if (type.kind !== "struct" || !type.name.startsWith(`${domain}.`)) return undefined;
  const name = type.name.slice(domain.length + 1);
  if (flatTypes.includes(name) || moreFlatTypes.includes(name)) return { cost: once };
  if (name === "NamedFormat") return { cost: scale(range(1, 64), 0.1) };
  if (name === "URL") return { cost: scale(range(1, b.size?.max ?? 1), 0.1) };
  return undefined;
}
