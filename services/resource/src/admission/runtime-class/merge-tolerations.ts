import type { Toleration } from "@orch/api/kinds/core/pod/types.js";
import { equalJson } from "@orch/schema/equal.js";

/**
 * The tolerations of both lists without those that another one covers; of equal ones the first. Each is compared with
 * the widest of its own sort and with the few sorts that are wider, never with all others.
 *
 *     a Equal 1 NoSchedule, a Exists   →   a Exists
 */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): readonly Toleration[] {
  const all = [...first, ...second];
  const widest = new Map<string, Toleration>();
  for (const toleration of all) {
    const sort = sortOf(toleration);
    const known = widest.get(sort);
    if (known === undefined || (!covers(known, toleration) && covers(toleration, known))) widest.set(sort, toleration);
  }
  return all.filter((toleration) => {
    if (widest.get(sortOf(toleration)) !== toleration) return false;
    return !widerSorts(toleration).some((sort) => {
      const wider = widest.get(sort);
      return wider !== undefined && wider !== toleration && covers(wider, toleration);
    });
  });
}

const anyKey = "";

/** Tolerations of one sort differ in their seconds alone. */
function sortOf({ key = anyKey, operator = "Equal", value = "", effect = "" }: Toleration): string {
  return JSON.stringify([key, effect, operator, operator === "Exists" ? "" : value]);
}

/** The sorts whose tolerations may cover this one. */
function widerSorts({ key = anyKey, operator = "Equal", value = "", effect = "" }: Toleration): readonly string[] {
  const same = [effect, ""].map((each) => ({ key, operator, value, effect: each }));
  const any = [key, anyKey].flatMap((each) => [effect, ""].map((e) => ({ key: each, operator: "Exists", effect: e })));
  return [...same, ...any].map(sortOf);
}

/** Whether the first tolerates everything that the second does. */
export function covers(wide: Toleration, narrow: Toleration): boolean {
  if (equalJson(wide, narrow)) return true;
  const { key = anyKey, operator = "Equal", effect = "" } = wide;
  if ((narrow.key ?? anyKey) !== key && !(key === anyKey && operator === "Exists")) return false;
  if ((narrow.effect ?? "") !== effect && effect !== "") return false;
  const most = wide.tolerationSeconds;
  if (effect === "NoExecute" && most !== undefined && (narrow.tolerationSeconds ?? Number.POSITIVE_INFINITY) > most) {
    return false;
  }
  if (operator === "Exists") return true;
  return operator === "Equal" && narrow.operator === "Equal" && (narrow.value ?? "") === (wide.value ?? "");
}
