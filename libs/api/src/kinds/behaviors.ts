import type { BehaviorOf } from "../behavior.js";

/** The kinds that need more than data, by `group/version/Kind` in the words of the data files. */
export const behaviors: ReadonlyMap<string, BehaviorOf> = new Map<string, BehaviorOf>([]);
