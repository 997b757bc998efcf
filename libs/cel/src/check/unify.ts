import { isDyn, paramsOf, sameType, type Type, t } from "./types.js";

/** What is known of type parameters while one expression is checked. */
export interface Unifier {
  fresh(): Type;
  /** Whether a value of `from` may stand where `to` is wanted; what that says of parameters is kept if it may. */
  assignable(from: Type, to: Type): boolean;
  assignableAll(from: readonly Type[], to: readonly Type[]): boolean;
  /** Parameters replaced by what is known; `toDyn`: the unknown ones by dyn. */
  substitute(type: Type, toDyn: boolean): Type;
}

export function createUnifier(): Unifier {
  const known = new Map<string, Type>();
  /** What was known before, to be put back if an attempt fails. */
  let trail: { readonly name: string; readonly before: Type | undefined }[] = [];
  let count = 0;

  const find = (type: Type): Type | undefined => (type.kind === "param" ? known.get(type.name) : undefined);
  const learn = (name: string, type: Type): void => {
    trail.push({ name, before: known.get(name) });
    known.set(name, type);
  };
  const attempt = (works: () => boolean): boolean => {
    trail = [];
    if (works()) return true;
    for (const { name, before } of trail.reverse()) {
      if (before === undefined) known.delete(name);
      else known.set(name, before);
    }
    return false;
  };

  const notWithin = (param: Type, type: Type): boolean => {
    if (sameType(param, type)) return false;
    if (type.kind === "param") {
      const bound = find(type);
      return bound === undefined || notWithin(param, bound);
    }
    return paramsOf(type).every((part) => notWithin(param, part));
  };

  /** Whether `param` can stand for `type`, and whether it stood for something before. */
  const bind = (type: Type, param: Type & { kind: "param" }): { readonly valid: boolean; readonly bound: boolean } => {
    if (sameType(type, param)) return { valid: true, bound: true };
    const before = known.get(param.name);
    if (before === undefined) {
      if (!notWithin(param, type)) return { valid: false, bound: false };
      learn(param.name, type);
      return { valid: true, bound: false };
    }
    if (sameType(type, before)) return { valid: true, bound: true };
    if (!assign(type, before)) return { valid: false, bound: true };
    const general = mostGeneral(type, before);
    if (notWithin(param, general)) learn(param.name, general);
    return { valid: true, bound: true };
  };

  const assign = (from: Type, to: Type): boolean => {
    if (to.kind === "param") {
      const { valid, bound } = bind(from, to);
      if (valid) return true;
      if (bound) return false;
    }
    if (from.kind === "param") return bind(to, from).valid;
    if (isWild(from) || isWild(to)) return true;
    if (from.kind === "null") return nullable(to);
    if (to.kind === "null") return nullable(from);
    return assignConcrete(from, to);
  };

  const assignConcrete = (from: Type, to: Type): boolean => {
    switch (from.kind) {
      case "type":
        return to.kind === "type";
      case "list":
        return to.kind === "list" && assign(from.element, to.element);
      case "map":
        return to.kind === "map" && assign(from.key, to.key) && assign(from.value, to.value);
      case "opaque":
        return to.kind === "opaque" && from.name === to.name && assignEach(from.params, to.params);
      case "wrapper":
        return to.kind === "wrapper" ? from.of === to.of : to.kind === from.of;
      default:
        return to.kind === "wrapper" ? to.of === from.kind : sameType(from, to);
    }
  };

  const assignEach = (from: readonly Type[], to: readonly Type[]): boolean =>
    from.length === to.length && from.every((type, i) => assign(type, to[i] ?? t.error));

  const substitute = (type: Type, toDyn: boolean): Type => {
    switch (type.kind) {
      case "param": {
        const bound = known.get(type.name);
        if (bound !== undefined) return substitute(bound, toDyn);
        return toDyn ? t.dyn : type;
      }
      case "list":
        return t.list(substitute(type.element, toDyn));
      case "map":
        return t.map(substitute(type.key, toDyn), substitute(type.value, toDyn));
      case "opaque":
        return type.params.length === 0 ? type : t.opaque(type.name, ...type.params.map((p) => substitute(p, toDyn)));
      case "type":
        return type.of === undefined ? type : t.typeOf(substitute(type.of, toDyn));
      default:
        return type;
    }
  };

  return {
    fresh: () => {
      const made = t.param(`_var${count}`);
      count += 1;
      return made;
    },
    assignable: (from, to) => attempt(() => assign(from, to)),
    assignableAll: (from, to) => attempt(() => assignEach(from, to)),
    substitute,
  };
}

function isWild(type: Type): boolean {
  return isDyn(type) || type.kind === "error";
}

function nullable(type: Type): boolean {
  switch (type.kind) {
    case "null":
    case "opaque":
    case "struct":
    case "wrapper":
    case "duration":
    case "timestamp":
      return true;
    default:
      return false;
  }
}

export function mostGeneral(a: Type, b: Type): Type {
  return lessSpecific(a, b) ? a : b;
}

function lessSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === "param") return true;
  if (isDyn(b) || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "opaque" && b.kind === "opaque" && a.name !== b.name) return false;
  if (a.kind === "type") return true;
  const parts = paramsOf(a);
  const others = paramsOf(b);
  if (parts.length === 0) return sameType(a, b);
  return parts.length === others.length && parts.every((part, i) => lessSpecific(part, others[i] ?? t.error));
}
