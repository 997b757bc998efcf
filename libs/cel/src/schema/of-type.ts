import type { Field, MessageType, Type } from "@orch/schema/descriptor.js";
import { viewOfJsonSchema } from "./json-schema.js";
import { lazyProperties, type SchemaView, viewOf } from "./view.js";

const known = new WeakMap<Type, SchemaView>();

/**
 * What expressions see of a type of the house's descriptors: of a custom resource what its schema says, of a built-in kind
 * what its fields are. Nothing is made of a field before somebody asks for it.
 */
export function viewOfType(type: Type): SchemaView {
  const view = known.get(type) ?? makeView(type);
  known.set(type, view);
  return view;
}

/** What may be of several types: expressions find out when they run. */
const anything = viewOf({ intOrString: true });

function makeView(type: Type): SchemaView {
  if (type.rules !== undefined) return viewOfJsonSchema(type.rules.schema);
  switch (type.kind) {
    case "message":
      return messageView(type);
    case "list":
      return viewOf({
        type: "array",
        items: viewOfType(type.item),
        listType: type.listType,
        listKeys: type.keys,
      });
    case "map":
      return viewOf({ type: "object", values: viewOfType(type.value) });
    case "bool":
      return viewOf({ type: "boolean" });
    case "int32":
    case "int64":
      return viewOf({ type: "integer" });
    case "double":
      return viewOf({ type: "number" });
    case "string":
    case "duration":
      return viewOf({ type: "string" });
    case "bytes":
      return viewOf({ type: "string", format: "byte" });
    case "time":
    case "microTime":
      return viewOf({ type: "string", format: "date-time" });
    case "fieldsV1":
      return viewOf({ type: "object", preserveUnknown: true });
    default:
      return anything;
  }
}

function messageView(type: MessageType): SchemaView {
  const fieldView = ({ type: own, values, default: given, nullable }: Field): SchemaView => {
    const view = viewOfType(own);
    const hasDefault = given !== undefined;
    const isClosed = values !== undefined && view.type === "string";
    if (!isClosed && !hasDefault && !nullable) return view;
    return { ...view, hasDefault, nullable, enum: isClosed ? values : view.enum };
  };
  return viewOf({
    type: "object",
    properties: lazyProperties(
      () => type.byName.keys(),
      (name) => {
        const found = type.byName.get(name);
        return found && fieldView(found);
      },
    ),
    required: requiredOf(type),
  });
}

/** Asked for once, where sizes are estimated. */
function requiredOf(type: MessageType): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (const { name, required } of type.byName.values()) if (required) yield name;
    },
  };
}
