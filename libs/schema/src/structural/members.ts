import type { Type } from "../descriptor.js";

/** A member of an object: its type, and whether a field names it. */
export interface Member {
  readonly type: Type;
  readonly named: boolean;
}

/** What a schema says of a member of an object; undefined for nothing. */
export function memberType(type: Type, name: string): Member | undefined {
  switch (type.kind) {
    case "message": {
      const metadata = name === "metadata" ? type.rules?.metadata : undefined;
      const found = metadata ?? type.byName.get(name)?.type;
      return found === undefined ? undefined : { type: found, named: true };
    }
    case "map":
      return { type: type.value, named: false };
    case "any":
      return type.forms?.object === undefined ? undefined : memberType(type.forms.object, name);
    default:
      return undefined;
  }
}

/** What a schema says of the items of a list; undefined for nothing. */
export function itemType(type: Type): Type | undefined {
  if (type.kind === "list") return type.item;
  return type.kind === "any" ? type.forms?.list?.item : undefined;
}
