import { t } from "../check/types.js";
import { add, exactly, multiply } from "../cost/sizes.js";
import { contains, elementsOf } from "../values/collections.js";
import { ListValue, noSuchOverload, type Value } from "../values/value.js";
import { argSize, global, type Library, type LibraryFunction } from "./library.js";

const list = t.list(t.param("T"));

function containsAll(outer: ListValue, inner: ListValue): boolean {
  for (const element of elementsOf(inner)) if (contains(outer, element) !== true) return false;
  return true;
}

function intersects(a: ListValue, b: ListValue): boolean {
  for (const element of elementsOf(b)) if (contains(a, element) === true) return true;
  return false;
}

/** `times`: how often each pair of elements may be compared. */
const ofLists = (word: string, times: number, test: (a: ListValue, b: ListValue) => boolean): LibraryFunction => ({
  name: `sets.${word}`,
  overloads: [global(`list_sets_${word}_list`, [list, list], t.bool)],
  run: ([a = null, b = null]: readonly Value[]) =>
    a instanceof ListValue && b instanceof ListValue ? test(a, b) : noSuchOverload,
  cost: (args, overload) => (overload === undefined ? 1 : 1 + times * argSize(args, 0) * argSize(args, 1)),
  estimate: ({ args: [a, b], sizeOf }) => {
    if (a === undefined || b === undefined) return undefined;
    const pairs = multiply(sizeOf(a), sizeOf(b));
    return { cost: add(exactly(1), times === 1 ? pairs : multiply(exactly(times), pairs)) };
  },
});

export const sets: Library = {
  name: "sets",
  since: 29,
  functions: [
    ofLists("contains", 1, containsAll),
    ofLists("intersects", 1, intersects),
    ofLists("equivalent", 2, (a, b) => containsAll(a, b) && containsAll(b, a)),
  ],
};
