import { equalJson } from "@orch/schema/equal.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateEmbedded } from "./embedded.js";
import { embeddedResource, itemsOf, type JsonSchema, metaNames } from "./json-schema.js";
import { prune } from "./pruning.js";
import { validateValue } from "./values.js";

/**
 * Everything wrong with the defaults of a structural schema: each must be of the schema that it stands in and, where
 * `pruned`, hold nothing that pruning would take. Defaults of map values are refused elsewhere.
 */
export function validateDefaults(
  schema: JsonSchema,
  at: string,
  options: { readonly pruned: boolean },
): readonly FieldError[] {
  return defaultsBelow(schema, at, { ...options, root: true, insideMeta: false });
}

interface Where {
  readonly pruned: boolean;
  /** The whole object. */
  readonly root: boolean;
  /** Below `apiVersion`, `kind` or `metadata`: what may stand there the server knows itself. */
  readonly insideMeta: boolean;
}

function defaultsBelow(schema: JsonSchema, at: string, where: Where): readonly FieldError[] {
  const embedded = where.root || schema[embeddedResource] === true;
  const insideMeta = where.insideMeta && !embedded;
  const inner = { pruned: where.pruned, root: false };
  const items = itemsOf(schema);
  return [
    ...(schema.default === undefined ? [] : ownDefault(schema, at, { ...where, insideMeta })),
    ...(items === undefined ? [] : defaultsBelow(items, `${at}.items`, { ...inner, insideMeta })),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      defaultsBelow(property, `${at}.properties[${name}]`, {
        ...inner,
        insideMeta: insideMeta || (embedded && metaNames.includes(name)),
      }),
    ),
  ];
}

function ownDefault(schema: JsonSchema, at: string, { pruned, root, insideMeta }: Where): readonly FieldError[] {
  const path = `${at}.default`;
  const value = schema.default;
  const unknown = pruned && !insideMeta && !equalJson(prune(value, schema, root), value);
  return [
    ...(unknown ? [fieldError.invalid(path, value, "must not have unknown fields")] : []),
    ...(insideMeta ? [] : validateEmbedded(value, schema, path, root)),
    ...validateValue(value, schema, path),
  ];
}

/** Whether every default holds only what its schema knows; of a structural schema. */
export function hasPrunedDefaults(schema: JsonSchema): boolean {
  return validateDefaults(schema, "", { pruned: true }).every(
    (e) => !e.message.endsWith("must not have unknown fields"),
  );
}
