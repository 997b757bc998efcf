import { t } from "../check/types.js";
import { add, exactly, multiply, range, scale } from "../cost/sizes.js";
import { ArrayList } from "../values/collections.js";
import { CelError, noSuchOverload, type Value } from "../values/value.js";
import {
  argSize,
  type Cost,
  type Estimate,
  type Library,
  type LibraryFunction,
  member,
  patternFactor,
  perUnit,
  stringFactor,
} from "./library.js";
import { matcher, type Pattern } from "./patterns.js";

const { int, string } = t;

const cost: Cost = (args) => perUnit(1 + argSize(args, 0), stringFactor) * perUnit(argSize(args, 1), patternFactor);

const estimate: Estimate = ({ target, args: [pattern], sizeOf }) => {
  if (target === undefined || pattern === undefined) return undefined;
  const size = sizeOf(target);
  const subject = scale(add(size, exactly(1)), stringFactor);
  return { cost: multiply(subject, scale(sizeOf(pattern), patternFactor)), size: range(0, size.max) };
};

type Search = (pattern: Pattern, args: readonly Value[]) => Value;

const find: Search = (pattern, [text = null]) =>
  typeof text === "string" ? (pattern.first(text) ?? "") : noSuchOverload;

const findAll: Search = (pattern, [text = null, , limit = -1]) => {
  if (typeof text !== "string" || (typeof limit !== "number" && typeof limit !== "bigint")) return noSuchOverload;
  return new ArrayList(pattern.matches(text, Number(limit)));
};

const searching = (name: string, search: Search, overloads: LibraryFunction["overloads"]): LibraryFunction => ({
  name,
  cost,
  estimate,
  overloads,
  run: (args) => {
    const [text = null, pattern = null] = args;
    if (typeof text !== "string" || typeof pattern !== "string") return noSuchOverload;
    const compiled = matcher(pattern);
    if (compiled instanceof CelError) return new CelError(`Illegal regex: ${compiled.message}`);
    return search(compiled, args);
  },
  pattern: {
    index: 1,
    make: (pattern) => {
      const compiled = matcher(pattern);
      return compiled instanceof CelError ? { error: compiled.message } : (args) => search(compiled, args);
    },
  },
});

export const regex: Library = {
  name: "regex",
  since: 23,
  functions: [
    searching("find", find, [member("string_find_string", [string, string], string)]),
    searching("findAll", findAll, [
      member("string_find_all_string", [string, string], t.list(string)),
      member("string_find_all_string_int", [string, string, int], t.list(string)),
    ]),
  ],
};
