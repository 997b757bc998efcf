import type { RawTaint, RawToleration } from "./objects.js";

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export const taintOf = ({ key = "", value = "", effect = "" }: RawTaint): Taint => ({ key, value, effect });

/** An absent effect covers all effects, an absent key with `Exists` all keys. */
export function tolerates({ key = "", operator, value = "", effect = "" }: RawToleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  switch (operator ?? "") {
    case "":
    case "Equal":
      return value === taint.value;
    case "Exists":
      return true;
    default:
      return false;
  }
}

export function isTolerated(tolerations: readonly RawToleration[], taint: Taint): boolean {
  for (const toleration of tolerations) if (tolerates(toleration, taint)) return true;
  return false;
}

export const repels = ({ effect }: Taint): boolean => effect === "NoSchedule" || effect === "NoExecute";

/** The first taint that keeps a pod away. */
export function firstUntolerated(taints: readonly Taint[], tolerations: readonly RawToleration[]): Taint | undefined {
  for (const taint of taints) if (repels(taint) && !isTolerated(tolerations, taint)) return taint;
  return undefined;
}
