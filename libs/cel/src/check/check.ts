import type { Call, Comprehension, Expr, ListExpr, MapExpr, Select, StructExpr } from "../syntax/ast.js";
import { qualifiedName } from "../syntax/builder.js";
import { type Issue, locate, nowhere } from "../syntax/source.js";
import { Uint, type Value } from "../values/value.js";
import type { Environment, FunctionDeclaration, Overload } from "./environment.js";
import { formatType, isDyn, optionalOf, paramsOf, sameType, type Type, t } from "./types.js";
import { createUnifier, mostGeneral, type Unifier } from "./unify.js";

/** What the checker learned of a node. */
export type Reference =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "type"; readonly name: string }
  /** `receiver`: the call's target is a value, not a part of the function's name. */
  | {
      readonly kind: "function";
      readonly name: string;
      readonly overloads: readonly string[];
      readonly receiver: boolean;
    };

export interface Checked {
  readonly expr: Expr;
  readonly type: Type;
  /** By id of the node. */
  readonly types: readonly (Type | undefined)[];
  readonly references: readonly (Reference | undefined)[];
}

export type CheckResult =
  | { readonly ok: true; readonly checked: Checked }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Finds the type of every node of `expr`, which has `nodes` of them, or tells every error. */
export function check(text: string, expr: Expr, env: Environment): CheckResult {
  const issues: Issue[] = [];
  const report = (at: number, message: string): void => {
    issues.push({ at: at < 0 ? nowhere : locate(text, at), message });
  };
  const checker = createChecker(env, report);
  checker.check(expr);
  if (issues.length > 0) return { ok: false, issues };
  const checked = checker.finish(expr);
  for (const find of env.checks) {
    for (const { at, message } of find(expr, (e) => checked.types[e.id] ?? t.dyn)) report(at, message);
  }
  return issues.length > 0 ? { ok: false, issues } : { ok: true, checked };
}

type Scope = { readonly names: ReadonlyMap<string, Type>; readonly outer: Scope | undefined };

interface Checker {
  check(e: Expr): void;
  finish(e: Expr): Checked;
}

interface Context {
  readonly env: Environment;
  readonly unifier: Unifier;
  readonly report: (at: number, message: string) => void;
  readonly check: (e: Expr) => Type;
}

function createChecker(env: Environment, report: (at: number, message: string) => void): Checker {
  const unifier = createUnifier();
  const types: (Type | undefined)[] = [];
  const references: (Reference | undefined)[] = [];
  let scope: Scope | undefined;
  /** Hidden overloads are seen once a loop was met: so the reference behaves. */
  let hidden = env.hidden;

  const typeOf = (e: Expr): Type => types[e.id] ?? t.error;
  const check = (e: Expr): Type => {
    const type = typeOfNode(e);
    types[e.id] = type;
    return type;
  };
  const ctx: Context = { env, unifier, report, check };

  const typeOfNode = (e: Expr): Type => {
    switch (e.kind) {
      case "literal":
        return literalType(e.value);
      case "ident":
        return ident(e, e.name) ?? undeclared(e.at, e.name);
      case "select":
        return select(e);
      case "call":
        return call(e);
      case "list":
        return listType(ctx, e);
      case "map":
        return mapType(ctx, e);
      case "struct":
        return struct(e);
      case "comprehension":
        return comprehension(e);
      case "broken":
        return t.error;
    }
  };

  const undeclared = (at: number, name: string): Type => {
    report(at, `undeclared reference to '${name}' (in container '')`);
    return t.error;
  };

  const ident = (e: Expr, written: string): Type | undefined => {
    const name = absolute(written);
    for (let s = scope; s !== undefined; s = s.outer) {
      const type = s.names.get(name);
      if (type === undefined) continue;
      references[e.id] = { kind: "variable", name };
      return type;
    }
    const variable = env.variables.get(name);
    if (variable !== undefined) {
      references[e.id] = { kind: "variable", name };
      return variable;
    }
    const named = env.type(name);
    if (named === undefined) return undefined;
    references[e.id] = { kind: "type", name };
    return t.typeOf(named.type);
  };

  const select = (e: Select): Type => {
    const name = qualifiedName(e);
    const qualified = name === undefined ? undefined : ident(e, name);
    if (qualified !== undefined) return qualified;
    const type = fieldType(ctx, e.at, { operand: e.operand, field: e.field, optional: false });
    return unifier.substitute(e.test ? t.bool : type, false);
  };

  const call = (e: Call): Type => {
    if (e.function === "_?._") return optionalSelect(e);
    for (const arg of e.args) check(arg);
    if (e.target === undefined) {
      const fn = env.functions.get(absolute(e.function));
      return fn === undefined ? undeclared(e.at, e.function) : resolve(e, fn, undefined);
    }
    const prefix = qualifiedName(e.target);
    const namespaced = prefix === undefined ? undefined : env.functions.get(absolute(`${prefix}.${e.function}`));
    if (namespaced !== undefined) return resolve(e, namespaced, undefined);
    check(e.target);
    const fn = env.functions.get(e.function);
    return fn === undefined ? undeclared(e.at, e.function) : resolve(e, fn, e.target);
  };

  const optionalSelect = (e: Call): Type => {
    const [operand, field] = e.args;
    if (operand === undefined || field?.kind !== "literal" || typeof field.value !== "string") {
      report(field?.at ?? e.at, "unsupported optional field selection");
      return t.error;
    }
    types[field.id] = t.string;
    const type = fieldType(ctx, e.at, { operand, field: field.value, optional: true });
    references[e.id] = { kind: "function", name: "_?._", overloads: ["select_optional_field"], receiver: false };
    return unifier.substitute(type, false);
  };

  const resolve = (e: Call, fn: FunctionDeclaration, target: Expr | undefined): Type => {
    const args = e.args.map(typeOf);
    const all = target === undefined ? args : [typeOf(target), ...args];
    const receiver = target !== undefined;
    if (fn.name === "_&&_" || fn.name === "_||_") return logical(e, fn, all);
    let result: Type | undefined;
    const overloads: string[] = [];
    for (const overload of fn.overloads) {
      if (overload.member !== receiver || hidden.has(overload.id)) continue;
      const { args: wanted, result: given } = instantiate(unifier, overload);
      if (!unifier.assignableAll(all, wanted)) continue;
      overloads.push(overload.id);
      const found = unifier.substitute(given, false);
      if (result === undefined) result = found;
      else if (!isDyn(result) && !sameType(found, result)) result = t.dyn;
    }
    if (result === undefined) {
      const shown = all.map((type) => formatType(unifier.substitute(type, true)));
      const head = receiver ? `${shown.shift()}.` : "";
      report(e.at, `found no matching overload for '${fn.name}' applied to '${head}(${shown.join(", ")})'`);
      return t.error;
    }
    references[e.id] = { kind: "function", name: fn.name, overloads, receiver };
    return result;
  };

  const logical = (e: Call, fn: FunctionDeclaration, args: readonly Type[]): Type => {
    let failed = false;
    args.forEach((type, i) => {
      if (unifier.assignable(type, t.bool)) return;
      failed = true;
      report(e.args[i]?.at ?? e.at, `expected type 'bool' but found '${formatType(type)}'`);
    });
    if (failed) return t.error;
    const overloads = fn.overloads.slice(0, 1).map((overload) => overload.id);
    references[e.id] = { kind: "function", name: fn.name, overloads, receiver: false };
    return t.bool;
  };

  const struct = (e: StructExpr): Type => {
    const named = ident(e, e.name);
    if (named === undefined) return undeclared(e.at, e.name);
    const type = structType(ctx, e, named);
    types[e.id] = type;
    const name = type.kind === "struct" ? type.name : absolute(e.name);
    for (const field of e.fields) fieldInitializer(ctx, field, name);
    return type;
  };

  const comprehension = (e: Comprehension): Type => {
    const range = unifier.substitute(check(e.range), false);
    const accuType = check(e.init);
    const outer = scope;
    hidden = new Set();
    scope = { names: new Map([[e.accu, accuType]]), outer };
    const inner = scope;
    scope = { names: loopVariables(ctx, e, range), outer: inner };
    assertType(e.condition, t.bool);
    assertType(e.step, accuType);
    scope = inner;
    const result = check(e.result);
    scope = outer;
    return unifier.substitute(result, false);
  };

  const assertType = (e: Expr, wanted: Type): void => {
    const type = check(e);
    if (unifier.assignable(wanted, type)) return;
    report(e.at, `expected type '${formatType(wanted)}' but found '${formatType(type)}'`);
  };

  return {
    check,
    finish: (expr) => {
      const final = types.map((type) => type && unifier.substitute(type, true));
      return { expr, type: final[expr.id] ?? t.dyn, types: final, references };
    },
  };
}

/** A leading dot says that a name is absolute, as every name here is. */
export function absolute(name: string): string {
  return name.startsWith(".") ? name.slice(1) : name;
}

function literalType(value: Value): Type {
  switch (typeof value) {
    case "boolean":
      return t.bool;
    case "number":
    case "bigint":
      return t.int;
    case "string":
      return t.string;
    default:
      if (value === null) return t.null;
      if (value instanceof Uint8Array) return t.bytes;
      return value instanceof Uint ? t.uint : t.double;
  }
}

/** A signature with parameters of its own. */
function instantiate(unifier: Unifier, overload: Overload): { readonly args: readonly Type[]; readonly result: Type } {
  if (!overload.args.some(hasParam) && !hasParam(overload.result)) return overload;
  const own = new Map<string, Type>();
  const rename = (type: Type): Type => {
    switch (type.kind) {
      case "param": {
        const known = own.get(type.name) ?? unifier.fresh();
        own.set(type.name, known);
        return known;
      }
      case "list":
        return t.list(rename(type.element));
      case "map":
        return t.map(rename(type.key), rename(type.value));
      case "opaque":
        return t.opaque(type.name, ...type.params.map(rename));
      case "type":
        return type.of === undefined ? type : t.typeOf(rename(type.of));
      default:
        return type;
    }
  };
  return { args: overload.args.map(rename), result: rename(overload.result) };
}

function hasParam(type: Type): boolean {
  return type.kind === "param" || paramsOf(type).some(hasParam);
}

function fieldType(
  ctx: Context,
  at: number,
  select: { readonly operand: Expr; readonly field: string; readonly optional: boolean },
): Type {
  const operand = ctx.unifier.substitute(ctx.check(select.operand), false);
  const inner = optionalOf(operand);
  const result = memberType(ctx, at, { type: inner ?? operand, field: select.field });
  return inner !== undefined || select.optional ? t.optional(result) : result;
}

function memberType(ctx: Context, at: number, { type, field }: { readonly type: Type; readonly field: string }): Type {
  switch (type.kind) {
    case "map":
      return type.value;
    case "struct":
      return declaredField(ctx, at, { struct: type.name, field }) ?? t.error;
    case "param":
      ctx.unifier.assignable(t.dyn, type);
      return t.dyn;
    default:
      if (!isDyn(type) && type.kind !== "error") {
        ctx.report(at, `type '${formatType(type)}' does not support field selection`);
      }
      return t.dyn;
  }
}

function declaredField(
  ctx: Context,
  at: number,
  { struct, field }: { readonly struct: string; readonly field: string },
): Type | undefined {
  const declaration = ctx.env.struct(struct);
  if (declaration === undefined) {
    ctx.report(at, `unexpected failed resolution of '${struct}'`);
    return undefined;
  }
  const type = declaration.field(field);
  if (type === undefined) ctx.report(at, `undefined field '${field}'`);
  return type;
}

function mismatch(ctx: Context, at: number, expected: Type, actual: Type): void {
  ctx.report(at, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`);
}

/** The type of an optional element's value; what is no optional is reported. */
function unwrapped(ctx: Context, e: Expr, type: Type): Type {
  const inner = optionalOf(type);
  if (inner !== undefined) return inner;
  if (!isDyn(type)) mismatch(ctx, e.at, t.optional(type), type);
  return type;
}

function join(ctx: Context, before: Type | undefined, type: Type): Type {
  if (before === undefined) return type;
  // Literals of several types are dyn here: a check of constants refuses them, where it is made.
  return ctx.unifier.assignable(before, type) ? mostGeneral(before, type) : t.dyn;
}

function listType(ctx: Context, e: ListExpr): Type {
  let element: Type | undefined;
  e.elements.forEach((item, i) => {
    const type = ctx.check(item);
    element = join(ctx, element, e.optional.has(i) ? unwrapped(ctx, item, type) : type);
  });
  return t.list(element ?? ctx.unifier.fresh());
}

function mapType(ctx: Context, e: MapExpr): Type {
  let key: Type | undefined;
  let value: Type | undefined;
  for (const entry of e.entries) {
    key = join(ctx, key, ctx.check(entry.key));
    const type = ctx.check(entry.value);
    value = join(ctx, value, entry.optional ? unwrapped(ctx, entry.value, type) : type);
  }
  return t.map(key ?? ctx.unifier.fresh(), value ?? ctx.unifier.fresh());
}

const wellKnown = new Set(["any", "timestamp", "duration", "dyn", "null", "wrapper"]);

function structType(ctx: Context, e: StructExpr, named: Type): Type {
  if (named.kind === "error") return t.error;
  if (named.kind !== "type" || named.of === undefined) {
    ctx.report(e.at, `'${formatType(named)}' is not a type`);
    return t.error;
  }
  const type = named.of;
  if (type.kind === "struct" || wellKnown.has(type.kind) || isJson(type)) return type;
  ctx.report(e.at, `'${declaredName(type)}' is not a message type`);
  return t.error;
}

function isJson(type: Type): boolean {
  if (type.kind === "list") return type.element.kind === "dyn";
  return type.kind === "map" && type.key.kind === "string" && type.value.kind === "dyn";
}

function declaredName(type: Type): string {
  return type.kind === "opaque"
    ? type.name
    : type.kind === "list" || type.kind === "map"
      ? type.kind
      : formatType(type);
}

function fieldInitializer(ctx: Context, field: StructExpr["fields"][number], struct: string): void {
  const value = ctx.check(field.value);
  const found = declaredField(ctx, field.at, { struct, field: field.name });
  const given = field.optional ? unwrapped(ctx, field.value, value) : value;
  if (ctx.unifier.assignable(found ?? t.error, given)) return;
  ctx.report(
    field.at,
    `expected type of field '${field.name}' is '${formatType(found ?? t.error)}' but provided type is '${formatType(given)}'`,
  );
}

function loopVariables(ctx: Context, e: Comprehension, range: Type): ReadonlyMap<string, Type> {
  const [first, second] = elementTypes(ctx, e, range);
  const names = new Map([[e.variable, first]]);
  if (e.second !== undefined) names.set(e.second, second);
  return names;
}

/** The types of the variables of a loop. Over dyn with two variables, the reference gives them none. */
function elementTypes(ctx: Context, e: Comprehension, range: Type): readonly [Type, Type] {
  const two = e.second !== undefined;
  switch (range.kind) {
    case "list":
      return two ? [t.int, range.element] : [range.element, t.error];
    case "map":
      return [range.key, range.value];
    case "dyn":
    case "error":
    case "param":
      ctx.unifier.assignable(t.dyn, range);
      return two ? [t.dyn, t.unspecified] : [t.dyn, t.error];
    default: {
      const message = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      ctx.report(e.range.at, message);
      return [t.error, t.unspecified];
    }
  }
}
