import { tooLarge } from "@orch/status/api-error.js";

/**
 * The steps that one patch may take beyond what its own size explains. A patch of a few bytes an operation can ask for
 * the whole document again and again: an item put before a million others, an item of a list merged ten thousand times.
 */
const maxSteps = 4_000_000;
/** Items of a list that are moved in the time of one step. */
const itemsMoved = 16;

/** What is left of the work that a patch may cause. Its functions throw ApiError RequestEntityTooLarge when it is used up. */
export interface PatchWork {
  /** Members or items that are copied or compared. */
  spend(steps: number): void;
  /** Items that make or fill room in a list. */
  move(items: number): void;
}

export function createPatchWork(): PatchWork {
  let left = maxSteps;
  const spend = (steps: number): void => {
    left -= steps;
    if (left < 0) throw tooLarge("the patch asks for more work than its size allows: change the object as a whole");
  };
  return { spend, move: (items) => spend(items / itemsMoved) };
}
