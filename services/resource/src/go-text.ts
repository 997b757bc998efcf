import { isObject } from "@orch/schema/descriptor.js";

/** A JSON value as the reference's error texts show a parsed patch: `map[metadata:map[foo:1] spec:map[]]`. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const names = Object.keys(value).sort();
  return `map[${names.map((name) => `${name}:${goText(value[name])}`).join(" ")}]`;
}
