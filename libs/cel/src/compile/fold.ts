import { elementsOf, GrowingList, GrowingMap } from "../values/collections.js";
import { CelError, ListValue, MapValue, nativeTypeName, type Value } from "../values/value.js";
import { type Frame, isError, type Step, tick } from "./frame.js";

export interface Fold {
  readonly range: Step;
  readonly slots: { readonly accu: number; readonly element: number; readonly second: number | undefined };
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
}

/** The loop of a macro. The accumulator is made when it is first read. */
export function loopStep(fold: Fold): Step {
  const { range, slots, result } = fold;
  const iterate = slots.second === undefined ? overElements : overPairs;
  return (f) => {
    f.slots[slots.accu] = undefined;
    const over = range(f);
    // With two variables the reference loses what was wrong with the range.
    if (isError(over) && slots.second === undefined) return over;
    const wrong = iterate(f, over, fold);
    return wrong ?? sealed(result(f));
  };
}

/** An accumulator that starts empty grows in place: its loop alone sees it. */
export function growing(init: Step): Step {
  return (f) => {
    const value = init(f);
    if (value instanceof ListValue && value.size === 0) return new GrowingList();
    if (value instanceof MapValue && value.size === 0) return new GrowingMap();
    return value;
  };
}

function sealed(value: Value): Value {
  return value instanceof GrowingList || value instanceof GrowingMap ? value.sealed() : value;
}

function overElements(f: Frame, over: Value, fold: Fold): CelError | undefined {
  const { element } = fold.slots;
  const items = over instanceof ListValue ? elementsOf(over) : over instanceof MapValue ? over.keys() : undefined;
  if (items === undefined) return new CelError(`got '${nativeTypeName(over)}', expected iterable type`);
  for (const item of items) {
    f.slots[element] = item;
    if (!advance(f, fold)) break;
  }
  return undefined;
}

function overPairs(f: Frame, over: Value, fold: Fold): CelError | undefined {
  const { element, second } = fold.slots;
  const pairs = over instanceof ListValue ? indexed(over) : over instanceof MapValue ? entries(over) : undefined;
  if (pairs === undefined || second === undefined) {
    return new CelError(`unsupported comprehension range type: ${nativeTypeName(over)}`);
  }
  for (const [key, value] of pairs) {
    f.slots[element] = key;
    f.slots[second] = value;
    if (!advance(f, fold)) break;
  }
  return undefined;
}

function* indexed(list: ListValue): Iterable<readonly [Value, Value]> {
  let index = 0;
  for (const value of elementsOf(list)) {
    yield [index, value];
    index += 1;
  }
}

function* entries(map: MapValue): Iterable<readonly [Value, Value]> {
  for (const key of map.keys()) yield [key, map.find(key) ?? null];
}

/** One step; false ends the loop. */
function advance(f: Frame, { condition, step, slots }: Fold): boolean {
  if (condition(f) === false) return false;
  f.slots[slots.accu] = step(f);
  tick(f);
  return true;
}
