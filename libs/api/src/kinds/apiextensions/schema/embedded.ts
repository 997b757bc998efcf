import { isObject } from "@orch/schema/descriptor.js";
import { dns1035Label } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { embeddedResource, itemsOf, type JsonSchema, propertyOf, valuesOf } from "./json-schema.js";

/**
 * Everything wrong with how whole objects inside a value name themselves. `isWhole`: the value is one whatever its
 * schema says. What stands in their metadata is not looked at.
 */
export function validateEmbedded(value: unknown, schema: JsonSchema, at: string, isWhole = false): FieldError[] {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return items === undefined ? [] : value.flatMap((item, i) => validateEmbedded(item, items, `${at}[${i}]`));
  }
  if (!isObject(value)) return [];
  const own = isWhole || schema[embeddedResource] === true;
  const below = Object.entries(value).flatMap(([name, field]) => {
    const inner = propertyOf(schema, name) ?? valuesOf(schema);
    return inner === undefined ? [] : validateEmbedded(field, inner, `${at}.${name}`);
  });
  if (!own) return below;
  return [...nameRules(value["apiVersion"], `${at}.apiVersion`), ...kindRules(value["kind"], `${at}.kind`), ...below];
}

function nameRules(name: unknown, at: string): FieldError[] {
  if (name === undefined) return [fieldError.required(at)];
  if (typeof name !== "string") return [fieldError.invalid(at, name, "must be a string")];
  return name === "" ? [fieldError.invalid(at, name, "must not be empty")] : [];
}

function kindRules(kind: unknown, at: string): FieldError[] {
  const problems = typeof kind === "string" && kind !== "" ? dns1035Label(kind.toLowerCase()) : [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [...nameRules(kind, at), ...(problems.length === 0 ? [] : [fieldError.invalid(at, kind, detail)])];
}
