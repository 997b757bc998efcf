import { isObject } from "@orch/schema/descriptor.js";
import { compareTexts } from "../fields/go-text.js";

const maxLength = 10_000;

/**
 * A JSON value as the reference's errors show it: `map[a:1 b:[x y] c:<nil>]`, members in the order of their names.
 * Texts of more than 10,000 characters are cut.
 */
export function goText(value: unknown): string {
  const parts: string[] = [];
  append(parts, { left: maxLength }, value);
  const text = parts.join("");
  return text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
}

function append(parts: string[], room: { left: number }, value: unknown): void {
  const put = (text: string): void => {
    parts.push(text);
    room.left -= text.length;
  };
  if (room.left < 0) return;
  if (Array.isArray(value)) {
    put("[");
    for (const [i, item] of value.entries()) {
      if (room.left < 0) break;
      if (i > 0) put(" ");
      append(parts, room, item);
    }
    put("]");
  } else if (isObject(value)) {
    put("map[");
    for (const [i, name] of Object.keys(value).sort(compareTexts).entries()) {
      if (room.left < 0) break;
      put(`${i > 0 ? " " : ""}${name}:`);
      append(parts, room, value[name]);
    }
    put("]");
  } else put(value === null ? "<nil>" : String(value));
}

/** The type of a JSON value in the reference's words. */
export function goType(value: unknown): string {
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "object":
      return "map[string]interface {}";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "bigint":
      return "int64";
    default:
      return typeof value;
  }
}
