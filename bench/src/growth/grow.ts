import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import type { Place, Step } from "./places.js";
import { keyOf, type Shape, sampleOf } from "./samples.js";

/** An object with n elements at a place, after those that it has there. */
export function grown(object: JsonObject, place: Place, { n, shape }: { readonly n: number; readonly shape: Shape }) {
  const whole = graft(object, place.steps, (old) => withElements(old, place, { n, shape }));
  return isObject(whole) ? whole : object;
}

/** The elements at a place the other way round; the object itself where they have no order. */
export function reversedAt(object: JsonObject, place: Place): JsonObject {
  const whole = graft(object, place.steps, (old) => {
    if (Array.isArray(old)) return [...old].reverse();
    return isObject(old) ? Object.fromEntries(Object.entries(old).reverse()) : old;
  });
  return isObject(whole) ? whole : object;
}

/** What stands at a place. */
export function valueIn(object: unknown, steps: readonly Step[]): unknown {
  let value = object;
  for (const step of steps) {
    if (step.to === "item") value = Array.isArray(value) ? value[0] : undefined;
    else if (step.to === "value") value = isObject(value) ? Object.values(value)[0] : undefined;
    else value = isObject(value) ? value[step.name] : undefined;
  }
  return value;
}

const plain = { index: 0, shape: "distinct" } as const;

/** A tree whose value at the end of the steps is another; what is missing on the way is made. */
export function graft(value: unknown, steps: readonly Step[], put: (old: unknown) => unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return put(value);
  const made = (old: unknown): unknown => {
    if (old !== undefined || step.type.kind !== "message") return old;
    return rest.length === 0 ? old : sampleOf(step.type, plain);
  };
  if (step.to === "item") {
    const [first, ...others]: readonly unknown[] = Array.isArray(value) ? value : [];
    return [graft(made(first), rest, put), ...others];
  }
  const object = isObject(value) ? value : {};
  const name = step.to === "field" ? step.name : (Object.keys(object)[0] ?? "k");
  return { ...object, [name]: graft(made(object[name]), rest, put) };
}

function withElements(old: unknown, place: Place, { n, shape }: { n: number; shape: Shape }): unknown {
  const { type, field } = place;
  const indexes = Array.from({ length: n }, (_, index) => index);
  const check = field.check?.items;
  switch (type.kind) {
    case "list": {
      const before: readonly unknown[] = Array.isArray(old) ? old : [];
      return [...before, ...indexes.map((index) => sampleOf(type.item, { index, shape, field, check }))];
    }
    case "map": {
      // Equal keys are one: what is equal in a map is the values.
      const value = (index: number): unknown => sampleOf(type.value, { index, shape, field, check });
      const entries = indexes.map((index): [string, unknown] => [keyOf(field, { index, shape }), value(index)]);
      return { ...(isObject(old) ? old : {}), ...Object.fromEntries(entries) };
    }
    case "fieldsV1":
      return { "f:data": Object.fromEntries(indexes.map((index) => [`f:e${index}`, {}])) };
    default:
      return { ...(isObject(old) ? old : {}), a: Object.fromEntries(indexes.map((index) => [`e${index}`, index])) };
  }
}
