import { ApplyValue, PatchValue } from "../libraries/json-patch.js";
import { DynamicList, DynamicMap } from "../schema/dynamic.js";
import { elementsOf } from "../values/collections.js";
import { formatTimestamp } from "../values/time.js";
import {
  CelError,
  Double,
  Duration,
  ListValue,
  MapValue,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from "../values/value.js";
import type { PolicyExpression } from "./policy.js";
import { policyBudget, runExpressions } from "./run.js";
import type { Activation } from "./subject.js";

/** What a mutation of a policy asks for, as plain JSON. */
export type Mutation =
  | { readonly type: "JSONPatch"; readonly operations: readonly object[] }
  /** Fields to set, as a server-side apply sets them. */
  | { readonly type: "ApplyConfiguration"; readonly object: object }
  | { readonly type: "error"; readonly error: string };

const failed = (error: string): Mutation => ({ type: "error", error });

/** Evaluates one mutation over the object as those before it left it. */
export function evaluateMutation(expression: PolicyExpression, activation: Activation): Mutation {
  const { results, stopped } = runExpressions([expression], activation, policyBudget);
  const [result] = results;
  if (result === undefined) return failed(stopped ?? "nothing was evaluated");
  if (!result.ok) return failed(result.error);
  const { value } = result;
  const room: Room = { left: largestPatch };
  try {
    if (value instanceof ApplyValue) return { type: "ApplyConfiguration", object: applied(value, "Object", room) };
    if (value instanceof ListValue) {
      return { type: "JSONPatch", operations: [...elementsOf(value)].map((one) => operationOf(one, room)) };
    }
  } catch (thrown) {
    if (thrown instanceof Unfit) return failed(thrown.message);
    throw thrown;
  }
  return failed("neither a list of patches nor an object");
}

/** Values that may still come: lists that share their elements are larger as JSON than as values. */
interface Room {
  left: number;
}

const largestPatch = 1 << 20;

/** A value that no patch can hold. */
class Unfit extends Error {}

function operationOf(value: Value, room: Room): object {
  if (!(value instanceof PatchValue)) throw new Unfit("a patch is made of JSONPatch objects");
  const operation: { [name: string]: unknown } = {};
  for (const [name, part] of value.fields) operation[name] = jsonOf(part, room);
  return operation;
}

/** Each object is of the type that its place has a name for. */
function applied(value: ApplyValue, place: string, room: Room): { readonly [name: string]: unknown } {
  if (value.name !== place) {
    const expected = `expected ${JSON.stringify(place)}, which matches field name path from root Object type`;
    throw new Unfit(`type mismatch: unexpected type name ${JSON.stringify(value.name)}, ${expected}`);
  }
  const object: { [name: string]: unknown } = {};
  for (const [name, part] of value.fields) {
    object[name] = part instanceof ApplyValue ? applied(part, `${place}.${name}`, room) : jsonOf(part, room);
  }
  return object;
}

/** A value as JSON has it. */
function jsonOf(value: Value, room: Room): unknown {
  room.left -= 1;
  if (room.left < 0) throw new Unfit("the patch is too large");
  if (value === null || typeof value !== "object") return value;
  if (value instanceof DynamicMap || value instanceof DynamicList) return value.data;
  if (value instanceof Double) return value.value;
  if (value instanceof Uint) return Number.isSafeInteger(Number(value.value)) ? Number(value.value) : value.value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Duration) return secondsText(value.nanos);
  if (value instanceof Timestamp) return formatTimestamp(value, 0);
  if (value instanceof Optional) return value.value === undefined ? null : jsonOf(value.value, room);
  if (value instanceof ApplyValue) return Object.fromEntries([...value.fields].map(([k, v]) => [k, jsonOf(v, room)]));
  if (value instanceof ListValue) return [...elementsOf(value)].map((one) => jsonOf(one, room));
  if (value instanceof MapValue) return mapOf(value, room);
  throw new Unfit(value instanceof CelError ? value.message : "a value that JSON does not have");
}

/** Seconds, with a fraction where there is one: `1.5s`. */
function secondsText(nanos: bigint): string {
  const sign = nanos < 0n ? "-" : "";
  const digits = String(nanos < 0n ? -nanos : nanos).padStart(10, "0");
  let end = digits.length;
  while (end > digits.length - 9 && digits[end - 1] === "0") end -= 1;
  const fraction = digits.slice(-9).slice(0, end - (digits.length - 9));
  return `${sign}${digits.slice(0, -9)}${fraction === "" ? "" : `.${fraction}`}s`;
}

function mapOf(map: MapValue, room: Room): unknown {
  const object: { [name: string]: unknown } = {};
  for (const key of map.keys()) {
    if (typeof key !== "string") throw new Unfit("a map whose keys are no texts");
    object[key] = jsonOf(map.find(key) ?? null, room);
  }
  return object;
}
