import type { RawNodeAffinity, RawNodeSelector, RawNodeTerm, RawRequirement } from "./objects.js";
import { shortText } from "./short-text.js";

/** What selection reads of a node. */
export interface Selectable {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}

type Test = (node: Selectable) => boolean;

/** Requirements of a term, all of which must hold; undefined where one cannot be read, which then matches nothing. */
function compileRequirement({ key = "", operator = "", values = [] }: RawRequirement): Test | undefined {
  const wanted = new Set(values);
  switch (operator) {
    case "In":
      return ({ labels }) => {
        const value = labels.get(key);
        return value !== undefined && wanted.has(value);
      };
    case "NotIn":
      return ({ labels }) => {
        const value = labels.get(key);
        return value === undefined || !wanted.has(value);
      };
    case "Exists":
      return ({ labels }) => labels.has(key);
    case "DoesNotExist":
      return ({ labels }) => !labels.has(key);
    case "Gt":
    case "Lt":
      return compareWith(key, operator, values);
    default:
      return undefined;
  }
}

function compareWith(key: string, operator: "Gt" | "Lt", values: readonly string[]): Test | undefined {
  const [bound] = values.map(integerOf);
  if (bound === undefined || values.length !== 1) return undefined;
  return ({ labels }) => {
    const value = integerOf(labels.get(key) ?? "");
    if (value === undefined) return false;
    return operator === "Gt" ? value > bound : value < bound;
  };
}

/** Of 64 bits, as programs of other languages read them. Labels and their bounds have at most 63 characters. */
function integerOf(text: string): bigint | undefined {
  if (text.length > 63 || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** The one field that nodes are chosen by is their name. */
function compileField({ key = "", operator = "", values = [] }: RawRequirement): Test | undefined {
  const wanted = new Set(values);
  if (key !== "metadata.name") return undefined;
  if (operator === "In") return ({ name }) => wanted.has(name);
  if (operator === "NotIn") return ({ name }) => !wanted.has(name);
  return undefined;
}

/** A term without requirements, or with one that cannot be read, matches nothing. */
export function compileTerm({ matchExpressions = [], matchFields = [] }: RawNodeTerm): Test | undefined {
  const tests = [...matchExpressions.map(compileRequirement), ...matchFields.map(compileField)];
  const known = tests.filter((test) => test !== undefined);
  if (known.length === 0 || known.length < tests.length) return undefined;
  return (node) => {
    for (const test of known) if (!test(node)) return false;
    return true;
  };
}

/** Any of the terms. */
export function compileNodeSelector({ nodeSelectorTerms = [] }: RawNodeSelector): Test {
  const terms = nodeSelectorTerms.map(compileTerm).filter((term) => term !== undefined);
  return (node) => {
    for (const term of terms) if (term(node)) return true;
    return false;
  };
}

export interface WeightedTerm {
  readonly weight: number;
  readonly matches: Test;
}

/** Preferred terms that can match something. */
export function compilePreferred({
  preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
}: RawNodeAffinity): readonly WeightedTerm[] {
  return preferred.flatMap(({ weight = 0, preference = {} }) => {
    const matches = compileTerm(preference);
    return weight === 0 || matches === undefined ? [] : [{ weight, matches }];
  });
}

/** Which nodes a pod may stand on by its `nodeSelector` and its required node affinity. */
export interface NodeSelection {
  readonly matches: Test;
  /** The same for pods that select alike. */
  readonly text: string;
  /** Names that required terms allow alone, where every term asks for names; empty: terms that exclude each other. */
  readonly names?: ReadonlySet<string>;
  /** Preferred terms are present in the object, be they readable or not. */
  readonly prefers: boolean;
  readonly preferred: readonly WeightedTerm[];
}

/** Undefined: a pod that neither requires nor prefers anything of a node. */
export function nodeSelectionOf(
  nodeSelector: Readonly<Record<string, string>> | undefined,
  affinity: RawNodeAffinity | undefined,
): NodeSelection | undefined {
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const prefers = affinity?.preferredDuringSchedulingIgnoredDuringExecution !== undefined;
  const exact = Object.entries(nodeSelector ?? {});
  if (exact.length === 0 && required === undefined && !prefers) return undefined;
  const selector = required === undefined ? undefined : compileNodeSelector(required);
  const names = namesIn(required);
  return {
    matches: (node) => {
      for (const [key, value] of exact) if (node.labels.get(key) !== value) return false;
      return selector === undefined || selector(node);
    },
    text:
      exact.length === 0 && required === undefined
        ? ""
        : shortText(JSON.stringify([nodeSelector ?? {}, required ?? null])),
    ...(names === undefined ? {} : { names }),
    prefers,
    preferred: affinity === undefined ? [] : compilePreferred(affinity),
  };
}

function namesIn(selector: RawNodeSelector | undefined): ReadonlySet<string> | undefined {
  const terms = selector?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const sets = matchFields
      .filter(({ key, operator }) => key === "metadata.name" && operator === "In")
      .map(({ values = [] }) => values);
    const [first, ...rest] = sets;
    if (first === undefined) return undefined;
    for (const name of first) if (rest.every((set) => set.includes(name))) names.add(name);
  }
  return names;
}
