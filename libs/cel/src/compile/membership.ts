import { elementsOf, keyOf } from "../values/collections.js";
import { compareNumbers, isNumeric } from "../values/numbers.js";
import { Double, ListValue, type Value } from "../values/value.js";
import { isError, type Step } from "./frame.js";

/**
 * `x in [constants]` as a look-up that costs nothing, where all constants are numbers, strings or booleans. Numbers are
 * found across their types. A number of NaN is found nowhere.
 */
export function membership(value: Step, list: Value): Step | { readonly constant: Value } | undefined {
  if (!(list instanceof ListValue)) return undefined;
  if (list.size === 0) return { constant: false };
  const members = new Set<Value>();
  for (const element of elementsOf(list)) {
    if (typeof element !== "string" && typeof element !== "boolean" && !isNumeric(element)) {
      return undefined;
    }
    if (!(element instanceof Double) || compareNumbers(element, element) === 0) members.add(keyOf(element));
  }
  return (f) => {
    const found = value(f);
    if (isError(found)) return found;
    return members.has(keyOf(found));
  };
}
