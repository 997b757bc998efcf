import { setOwn } from "@orch/schema/decode.js";
import { isObject } from "@orch/schema/descriptor.js";
import { createFloats, type Floats } from "@orch/schema/floats.js";
import { exactNumber, integer64 } from "@orch/schema/integer64.js";
import { outOfRange, rounded, shortened } from "./number-loss.js";

type Step = string | number;

/** Corrects the numbers of a parsed tree while its text is walked. */
export interface Mending {
  /** The value at a step of a node; undefined if a later key of the same name replaced it. */
  at(node: unknown, step: Step): unknown;
  /** Corrects the number at a step of a node, or the whole value. Returns why the number cannot be kept, if it cannot. */
  number(text: string, node: unknown, step: Step | undefined): string | undefined;
  tree(): unknown;
  floats(): Floats | undefined;
}

const integer = /^-?\d+$/;
/** Longer ones have more than 64 bits, and making a bigint of millions of digits is not linear. */
const longestInteger = 20;

export function createMending(tree: unknown): Mending {
  let whole = tree;
  const floats = createFloats();
  const set = (node: unknown, step: Step | undefined, exact: bigint): void => {
    if (step === undefined) whole = exact;
    else if (Array.isArray(node) && typeof step === "number") node[step] = exact;
    else if (isRecord(node)) setOwn(node, String(step), exact);
  };
  return {
    at: valueAt,
    number(text, node, step) {
      const value = Number(text);
      if (!Number.isFinite(value)) return outOfRange(text);
      const isInteger = integer.test(text);
      // Every value of a repeated key passes here, in order, and the tree holds the last: it decides.
      if (typeof node === "object" && node !== null && step !== undefined) {
        if (!isInteger && Number.isInteger(value)) floats.add(node, step, shortened(text));
        else floats.remove(node, step);
      }
      if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined;
      const exact = isInteger ? readInteger(text) : exactNumber(value);
      // The text that a double prints (100000000000000000000) loses nothing as a double.
      if (exact === undefined) return String(value) === text ? undefined : rounded(text);
      const now = step === undefined ? whole : valueAt(node, step);
      const isMeant = (typeof now === "number" || typeof now === "bigint") && Number(now) === value;
      if (isMeant && typeof exact === "bigint") set(node, step, exact);
      return undefined;
    },
    tree: () => whole,
    floats: () => floats.all(),
  };
}

function readInteger(text: string) {
  return text.length > longestInteger ? undefined : integer64(BigInt(text));
}

function valueAt(node: unknown, step: Step): unknown {
  if (Array.isArray(node)) return typeof step === "number" ? node[step] : undefined;
  return isObject(node) && Object.hasOwn(node, step) ? node[step] : undefined;
}

/** A tree that JSON.parse has just made and nobody else holds may be written to. */
function isRecord(node: unknown): node is Record<string, unknown> {
  return isObject(node);
}
