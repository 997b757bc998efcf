import type { Field, MessageType, Type } from "./descriptor.js";

/**
 * Whether a type has, anywhere below it, a field that a walk is about: a walk skips what has none.
 * Each predicate's answers are kept, so that a type is looked through once.
 */
export function createReach(wanted: (field: Field) => boolean): (type: Type) => boolean {
  const known = new WeakMap<MessageType, boolean>();
  return (type) => {
    const root = messageBelow(type);
    if (root === undefined) return false;
    let found = known.get(root);
    if (found === undefined) {
      found = search(root, wanted);
      known.set(root, found);
    }
    return found;
  };
}

function search(root: MessageType, wanted: (field: Field) => boolean): boolean {
  const seen = new Set([root]);
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
