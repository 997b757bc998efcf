import type { Checked, Reference } from "../check/check.js";
import { absolute } from "../check/check.js";
import type { Environment } from "../check/environment.js";
import type { Type } from "../check/types.js";
import type { LibraryFunction, LibraryOverload, Run } from "../libraries/library.js";
import type { Call, Comprehension, Expr, ListExpr, MapExpr, Select, StructExpr } from "../syntax/ast.js";
import { ArrayList, unhashable } from "../values/collections.js";
import { nativeTypeName, Optional, type Value } from "../values/value.js";
import { makeList, mapStep, notOptional, orUnknown, structValue } from "./aggregates.js";
import { type Attribute, extend, isKey, resolver } from "./attribute.js";
import { askingStep, callStep, costOf, fitsAlways } from "./calls.js";
import { dispatcher } from "./dispatch.js";
import { growing, loopStep } from "./fold.js";
import { charge, isError, type Step } from "./frame.js";
import { allOf, anyOf, chainOf, equality, optionalElse } from "./logic.js";
import { membership } from "./membership.js";
import {
  attributeOf,
  foldConstant,
  freeFrame,
  type Plan,
  PlanError,
  readLazily,
  readSlot,
  readVariable,
  runner,
  unplanned,
} from "./plan.js";

/** What literals cost to make: data, since dialects differ in it. */
export interface CostTable {
  readonly list: number;
  readonly map: number;
  readonly struct: number;
}

export interface CompileOptions {
  readonly env: Environment;
  readonly functions: ReadonlyMap<string, LibraryFunction>;
  readonly costs: CostTable;
  /** Makes a value of an object's type. Undefined: the type has none. */
  readonly construct?: (name: string, fields: ReadonlyMap<string, Value>) => Value | undefined;
  /** Sees the value of each sub-expression as it is found. */
  readonly observe?: (e: Expr, value: Value) => void;
}

export interface Compiled {
  readonly run: Step;
  /** How many slots a frame needs. */
  readonly slots: number;
}

/**
 * Makes closures of a checked expression.
 *
 * @throws PlanError
 */
export function compile(checked: Checked, options: CompileOptions): Compiled {
  const planner = createPlanner(checked, options);
  const run = planner.step(checked.expr);
  return { run, slots: planner.slots() };
}

type Scope = {
  readonly name: string;
  readonly slot: number;
  readonly init: Step | undefined;
  readonly outer: Scope | undefined;
};

interface Planner {
  step(e: Expr): Step;
  slots(): number;
}

function createPlanner(checked: Checked, options: CompileOptions): Planner {
  const { env, functions, costs, observe } = options;
  let slots = 0;
  let scope: Scope | undefined;
  const globals = new Map<string, number>();

  const newSlot = (): number => {
    slots += 1;
    return slots - 1;
  };
  const typeOf = (e: Expr): Type | undefined => checked.types[e.id];

  const step = (e: Expr): Step => stepOf(e, plan(e));

  /** Each node is planned once: what was planned is run here. */
  const stepOf = (e: Expr, planned: Plan): Step => {
    const run = runner(planned);
    if (observe === undefined || e.kind === "literal") return run;
    return (f) => {
      const value = run(f);
      observe(e, value);
      return value;
    };
  };

  const plan = (e: Expr): Plan => {
    const reference = checked.references[e.id];
    if (reference?.kind === "variable" && e.kind !== "struct") {
      // The reference takes every name whose type is that of a type for the type's own.
      return typeOf(e)?.kind === "type" ? typeConstant(reference.name) : variable(reference.name);
    }
    if (reference?.kind === "type" && e.kind !== "struct") return typeConstant(reference.name);
    switch (e.kind) {
      case "literal":
        return { kind: "constant", value: e.value };
      case "select":
        return select(e);
      case "call":
        return call(e, reference);
      case "list":
        return list(e);
      case "map":
        return map(e);
      case "struct":
        return struct(e);
      case "comprehension":
        return { kind: "step", run: comprehension(e) };
      default:
        throw new PlanError(`unsupported expression`);
    }
  };

  const typeConstant = (name: string): Plan => {
    const value = env.type(name)?.value;
    if (value === undefined) throw new PlanError(`reference to undefined type: ${name}`);
    return { kind: "constant", value };
  };

  const variable = (name: string): Plan => {
    for (let s = scope; s !== undefined; s = s.outer) {
      if (s.name === name) return attributeOf(s.init === undefined ? readSlot(s.slot) : readLazily(s.slot, s.init));
    }
    const slot = globals.get(name) ?? newSlot();
    globals.set(name, slot);
    return attributeOf(readVariable(slot, name));
  };

  const asAttribute = (e: Expr): Attribute => {
    const planned = plan(e);
    if (planned.kind === "attribute" && !planned.test) return watched(e, planned.attribute);
    return { root: { kind: "value", read: stepOf(e, planned) }, qualifiers: [] };
  };

  /** Paths of an explained expression are read step by step, so that each part is seen. */
  const watched = (e: Expr, attribute: Attribute): Attribute => {
    if (observe === undefined) return attribute;
    const read = resolver(attribute);
    return {
      root: {
        kind: "value",
        read: (f) => {
          const value = read(f);
          observe(e, value);
          return value;
        },
      },
      qualifiers: [],
    };
  };

  const select = (e: Select): Plan => {
    const operand = asAttribute(e.operand);
    const attribute = extend(operand, { key: e.field, optional: false, test: e.test });
    return { kind: "attribute", attribute, test: e.test };
  };

  const index = (e: Call, optional: boolean): Plan => {
    const [operand, key] = e.args;
    if (operand === undefined || key === undefined) throw new PlanError("unsupported expression");
    const attribute = asAttribute(operand);
    const planned = plan(key);
    if (planned.kind === "constant" && !isKey(planned.value)) {
      throw new PlanError(`invalid qualifier type: ${nativeTypeName(planned.value)}`);
    }
    const at = planned.kind === "constant" ? planned.value : keyStep(key, planned);
    return { kind: "attribute", attribute: extend(attribute, { key: at, optional, test: false }), test: false };
  };

  /** Of a key that is a path itself, only its look-ups cost. */
  const keyStep = (e: Expr, planned: Plan): Step =>
    planned.kind === "attribute" && !planned.test ? resolver(planned.attribute) : stepOf(e, planned);

  const call = (e: Call, reference: Reference | undefined): Plan => {
    const name = reference?.kind === "function" ? reference.name : absolute(e.function);
    switch (name) {
      case "_&&_":
        return { kind: "step", run: allOf(chainOf(e, "_&&_").map(step)) };
      case "_||_":
        return { kind: "step", run: anyOf(chainOf(e, "_||_").map(step)) };
      case "_?_:_":
        return conditional(e);
      case "_[_]":
        return index(e, false);
      case "_[?_]":
      case "_?._":
        return index(e, true);
      case "_==_":
        return { kind: "step", run: equality(argSteps(e), false) };
      case "_!=_":
        return { kind: "step", run: equality(argSteps(e), true) };
      default:
        return functionCall(e, name, reference);
    }
  };

  const argSteps = (e: Call): readonly Step[] => e.args.map(step);

  const conditional = (e: Call): Plan => {
    const [condition, yes, no] = e.args;
    if (condition === undefined || yes === undefined || no === undefined) throw new PlanError("unsupported expression");
    const root = {
      kind: "conditional",
      condition: step(condition),
      yes: asAttribute(yes),
      no: asAttribute(no),
    } as const;
    return { kind: "attribute", attribute: { root, qualifiers: [] }, test: false };
  };

  const functionCall = (e: Call, name: string, reference: Reference | undefined): Plan => {
    const fn = functions.get(name);
    if (fn === undefined) throw new PlanError(`no such overload: ${name}`);
    const receiver = reference?.kind === "function" && reference.receiver;
    const operands = receiver && e.target !== undefined ? [e.target, ...e.args] : e.args;
    if (name === "or" || name === "orValue") return { kind: "step", run: optionalElse(operands.map(step), name) };
    const resolved = reference?.kind === "function" ? reference.overloads : [];
    const overload = resolved.length === 1 ? fn.overloads.find((o) => o.id === resolved[0]) : undefined;
    const plans = operands.map(plan);
    if (overload?.id === "in_list" && plans[1]?.kind === "constant" && operands[0] !== undefined) {
      const run = membership(stepOf(operands[0], plans[0] ?? unplanned), plans[1].value);
      if (run !== undefined)
        return typeof run === "function" ? { kind: "step", run } : { kind: "constant", value: run.constant };
    }
    const run = runOf(fn, { overload, operands, plans });
    const folded = foldConstant(name, run, plans);
    if (folded !== undefined) return folded;
    const early = operands.length > 2 || run.early || fn.early === true;
    const args = operands.map((operand, i) => stepOf(operand, plans[i] ?? unplanned));
    const parts = { run: run.run, cost: costOf(fn, overload), overload: overload?.id, early };
    return { kind: "step", run: fn.asks === true ? askingStep(args, parts) : callStep(args, parts) };
  };

  const runOf = (
    fn: LibraryFunction,
    call: {
      readonly overload: LibraryOverload | undefined;
      readonly operands: readonly Expr[];
      readonly plans: readonly Plan[];
    },
  ): { readonly run: Run; readonly early: boolean } => {
    const { overload, operands, plans } = call;
    const pattern = fn.pattern && plans[fn.pattern.index];
    if (fn.pattern !== undefined && pattern?.kind === "constant" && typeof pattern.value === "string") {
      const made = fn.pattern.make(pattern.value);
      if ("error" in made) throw new PlanError(made.error);
      return { run: made, early: true };
    }
    if (overload?.run !== undefined && operands.every((arg, i) => fitsAlways(typeOf(arg), overload.args[i]))) {
      return { run: overload.run, early: false };
    }
    if (fn.run !== undefined && overload?.run === undefined) return { run: fn.run, early: false };
    return { run: dispatcher(fn, overload), early: overload === undefined };
  };

  const list = (e: ListExpr): Plan => {
    const plans = e.elements.map(plan);
    if (plans.every((p) => p.kind === "constant")) {
      const made = makeList(
        plans.map((p) => p.value),
        e.optional,
      );
      return isError(made) ? { kind: "step", run: () => made } : { kind: "constant", value: made };
    }
    const steps = e.elements.map((element, i) => stepOf(element, plans[i] ?? unplanned));
    const { optional } = e;
    return {
      kind: "step",
      run: (f) => {
        const items: Value[] = [];
        let failed: Value | undefined;
        for (const [i, read] of steps.entries()) {
          const value = read(f);
          if (isError(value)) {
            failed = value;
            break;
          }
          if (!optional.has(i)) items.push(value);
          else if (!(value instanceof Optional)) {
            failed = notOptional("list element", value);
            break;
          } else if (value.value !== undefined) items.push(value.value);
        }
        charge(f, costs.list);
        return failed ?? new ArrayList(items);
      },
    };
  };

  const map = (e: MapExpr): Plan => {
    const parts = e.entries.map((entry) => ({
      key: plan(entry.key),
      value: plan(entry.value),
      optional: entry.optional,
    }));
    const run = mapStep(
      e.entries.map((entry, i) => ({
        key: stepOf(entry.key, parts[i]?.key ?? unplanned),
        value: stepOf(entry.value, parts[i]?.value ?? unplanned),
        optional: entry.optional,
      })),
    );
    // What cannot be a key ends the evaluation, not the planning.
    const isConstant = ({ key, value }: (typeof parts)[number]): boolean =>
      key.kind === "constant" && unhashable(key.value) === undefined && value.kind === "constant";
    if (!parts.every(isConstant)) {
      return {
        kind: "step",
        run: (f) => {
          const made = run(f);
          charge(f, costs.map);
          return made;
        },
      };
    }
    const made = run(freeFrame);
    return isError(made) ? { kind: "step", run: () => made } : { kind: "constant", value: made };
  };

  const struct = (e: StructExpr): Plan => {
    const name = absolute(e.name);
    if (options.construct === undefined) throw new PlanError(`unknown type: ${name}`);
    const { construct } = options;
    const fields = e.fields.map((field) => ({ name: field.name, optional: field.optional, value: step(field.value) }));
    return {
      kind: "step",
      run: (f) => {
        const made = structValue(f, fields, (values) => orUnknown(name, construct(name, values)));
        charge(f, costs.struct);
        return made;
      },
    };
  };

  const comprehension = (e: Comprehension): Step => {
    const range = step(e.range);
    const init = growing(step(e.init));
    const outer = scope;
    const accu = newSlot();
    scope = { name: e.accu, slot: accu, init, outer };
    const inner = scope;
    const element = newSlot();
    const second = e.second === undefined ? undefined : newSlot();
    scope = { name: e.variable, slot: element, init: undefined, outer: inner };
    if (e.second !== undefined && second !== undefined) {
      scope = { name: e.second, slot: second, init: undefined, outer: scope };
    }
    const condition = step(e.condition);
    const body = step(e.step);
    scope = inner;
    const result = step(e.result);
    scope = outer;
    return loopStep({ range, slots: { accu, element, second }, condition, step: body, result });
  };

  return { step, slots: () => slots };
}
