import { isObject } from "@orch/schema/descriptor.js";
import { equalJson } from "@orch/schema/equal.js";
import { keyText } from "@orch/schema/structural/check-lists.js";

/** How the parts of a value are told apart: that of the schema as far as it matters here. */
interface Shape {
  readonly listKeys: readonly string[] | undefined;
}

/** A value beside the one that it replaces, if that is known: what is as it was may go on breaking a rule. */
export interface Correlation {
  /** Whether the value, or the smallest one around it that can be told apart, is as it was. Found out once. */
  same(): boolean;
  /** Of a part that stands where `old` stood; undefined where nothing did. */
  part(value: unknown, old: unknown, shape: Shape): Correlation;
  /** Of parts that nothing tells apart: they are as they were if this is. */
  readonly lost: Correlation;
}

export function correlated(value: unknown, old: unknown, shape: Shape): Correlation {
  let known: boolean | undefined;
  const same = (): boolean => {
    known ??= old !== undefined && isSame(value, old, shape);
    return known;
  };
  const lost: Correlation = {
    same,
    part: () => lost,
    get lost() {
      return lost;
    },
  };
  const own: Correlation = {
    same,
    part: (inner, before, innerShape) => (before === undefined ? own : correlated(inner, before, innerShape)),
    lost,
  };
  return own;
}

/** Items of a map list may have changed places. */
function isSame(value: unknown, old: unknown, { listKeys }: Shape): boolean {
  if (equalJson(value, old)) return true;
  if (listKeys === undefined || !Array.isArray(value) || !Array.isArray(old) || value.length !== old.length) {
    return false;
  }
  const before = new Map(old.map((item) => [keyText(listKeys, item), item]));
  return value.every((item) => isObject(item) && equalJson(item, before.get(keyText(listKeys, item))));
}
