import type { RowConditionsOf } from "./cell.js";
import { podConditions } from "./cells/pod.js";

/** Kinds whose rows have conditions, by the names of their types. */
export const rowConditions: ReadonlyMap<string, RowConditionsOf> = new Map([["core/v1.Pod", podConditions]]);
