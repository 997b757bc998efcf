import type { Field, MessageType, ScalarKind, Type } from "@orch/schema/descriptor.js";

/** One step into a tree: to a field of a message, to the first item of a list, to a value of a map. */
export type Step =
  | { readonly to: "field"; readonly name: string; readonly type: Type }
  | { readonly to: "item"; readonly type: Type }
  | { readonly to: "value"; readonly type: Type };

/** Where an object can grow: a field, or what its items hold (`spec.containers[].env`). */
export interface Place {
  /** The message and its field, which are the same wherever the message stands: `core/v1.Container.env`. */
  readonly id: string;
  /** `spec.containers[].env`. */
  readonly path: string;
  readonly steps: readonly Step[];
  readonly field: Field;
  readonly type: Type;
}

/** Scalars that hold more than a number. */
const growingScalars: ReadonlySet<ScalarKind> = new Set(["string", "bytes", "any", "raw", "fieldsV1", "quantity"]);
const alsoTexts: ReadonlySet<ScalarKind> = new Set(["intOrString", "duration", "time", "microTime"]);

export function isContainer({ kind }: Type): boolean {
  return kind === "list" || kind === "map" || kind === "fieldsV1" || kind === "any" || kind === "raw";
}

/** Every list, map and text of a type, each once; a message inside itself is not entered again. */
export function placesOf(type: MessageType): readonly Place[] {
  const places: Place[] = [];
  const enter = (message: MessageType, at: At): void => {
    if (at.seen.includes(message.name)) return;
    for (const [name, field] of message.byName) {
      const steps: readonly Step[] = [...at.steps, { to: "field", name, type: field.type }];
      const path = at.path === "" ? name : `${at.path}.${name}`;
      const seen = [...at.seen, message.name];
      walk(field.type, { path, steps, seen, field, id: `${message.name}.${name}` });
    }
  };
  const walk = (inner: Type, at: At & { readonly field: Field; readonly id: string }): void => {
    const { id, path, steps, field } = at;
    switch (inner.kind) {
      case "message":
        enter(inner, at);
        return;
      case "either":
        for (const { type: one } of inner.alternatives) walk(one, at);
        return;
      case "list":
        places.push({ id, path, steps, field, type: inner });
        walk(inner.item, within(at, "item", inner.item));
        return;
      case "map":
        places.push({ id, path, steps, field, type: inner });
        walk(inner.value, within(at, "value", inner.value));
        return;
      default:
        if (growingScalars.has(inner.kind) || alsoTexts.has(inner.kind)) {
          places.push({ id, path, steps, field, type: inner });
        }
    }
  };
  enter(type, { path: "", steps: [], seen: [] });
  return places;
}

interface At {
  readonly path: string;
  readonly steps: readonly Step[];
  readonly seen: readonly string[];
}

function within<A extends At & { readonly id: string }>(at: A, to: "item" | "value", type: Type): A {
  const sign = to === "item" ? "[]" : "{}";
  return { ...at, id: `${at.id}${sign}`, path: `${at.path}${sign}`, steps: [...at.steps, { to, type }] };
}
