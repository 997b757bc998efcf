import type { Below, Field, MessageType, Type } from "./descriptor.js";

/** A field that a walk has to stop at. */
export interface Stop {
  readonly field: Field;
  /** The field itself is what the walk is about. */
  readonly wanted: boolean;
  /** Something below it is. */
  readonly below: boolean;
}

/**
 * The fields of a message that a walk is about or that lead to such fields: the walk passes by all
 * others. Worked out once per message. `kept`: where the types of custom resources keep what there is below them; absent
 * for a walk that does not go there.
 */
export function createStops(
  wanted: (field: Field) => boolean,
  kept?: keyof Below,
): (type: MessageType) => readonly Stop[] {
  const known = new WeakMap<MessageType, readonly Stop[]>();
  const reaches = (type: Type): boolean =>
    type.rules === undefined ? reachesField(type, wanted) : kept !== undefined && type.rules.below[kept];
  return (type) => {
    let stops = known.get(type);
    if (stops === undefined) {
      stops = [...type.byName.values()]
        .map((field) => ({ field, wanted: wanted(field), below: reaches(field.type) }))
        .filter((stop) => stop.wanted || stop.below);
      known.set(type, stops);
    }
    return stops;
  };
}

/** Messages may contain themselves: each is looked into once. */
function reachesField(type: Type, wanted: (field: Field) => boolean): boolean {
  const root = messageBelow(type);
  const seen = new Set(root === undefined ? [] : [root]);
  for (const message of seen) {
    for (const field of message.byName.values()) {
      if (wanted(field)) return true;
      const below = messageBelow(field.type);
      if (below !== undefined) seen.add(below);
    }
  }
  return false;
}

function messageBelow(type: Type): MessageType | undefined {
  switch (type.kind) {
    case "message":
      return type;
    case "list":
      return messageBelow(type.item);
    case "map":
      return messageBelow(type.value);
    default:
      return undefined;
  }
}
