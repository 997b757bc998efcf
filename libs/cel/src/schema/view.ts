/**
 * What expressions need to know of a schema. Whatever describes objects (a structural schema of a definition, the
 * descriptor of a built-in kind) is seen through this by a small adapter of its own.
 */
export interface SchemaView {
  /** Undefined: none is declared. */
  readonly type: "object" | "array" | "string" | "boolean" | "number" | "integer" | undefined;
  readonly format: string | undefined;
  readonly nullable: boolean;
  /** Undefined: no properties are declared, not even none. */
  readonly properties: ReadonlyMap<string, SchemaView> | undefined;
  readonly required: ReadonlySet<string>;
  /** The schema of the values of a map. */
  readonly values: SchemaView | undefined;
  readonly items: SchemaView | undefined;
  readonly listType: "atomic" | "set" | "map" | undefined;
  readonly listKeys: readonly string[];
  readonly hasDefault: boolean;
  /** The texts of an enumeration. */
  readonly enum: readonly string[];
  readonly maxLength: number | undefined;
  readonly maxItems: number | undefined;
  readonly maxProperties: number | undefined;
  readonly intOrString: boolean;
  /** An object with a kind of its own inside of another. */
  readonly embedded: boolean;
  readonly preserveUnknown: boolean;
}

const empty: SchemaView = {
  type: undefined,
  format: undefined,
  nullable: false,
  properties: undefined,
  required: new Set(),
  values: undefined,
  items: undefined,
  listType: undefined,
  listKeys: [],
  hasDefault: false,
  enum: [],
  maxLength: undefined,
  maxItems: undefined,
  maxProperties: undefined,
  intOrString: false,
  embedded: false,
  preserveUnknown: false,
};

/** A view of what is named; the rest is not declared. */
export function viewOf(parts: Partial<SchemaView>): SchemaView {
  return { ...empty, ...parts };
}

const text = viewOf({ type: "string" });

/** A root or an embedded resource shows its kind, its version and two names, whatever its schema says. */
export function withObjectMeta(view: SchemaView): SchemaView {
  const { properties } = view;
  const meta = properties?.get("metadata");
  const complete =
    properties?.get("kind")?.type === "string" &&
    properties.get("apiVersion")?.type === "string" &&
    meta?.type === "object" &&
    meta.properties?.get("name")?.type === "string" &&
    meta.properties.get("generateName")?.type === "string";
  if (complete) return { ...view, type: "object" };
  const metadata = viewOf({
    type: "object",
    properties: new Map([
      ["name", text],
      ["generateName", text],
    ]),
  });
  return {
    ...view,
    type: "object",
    properties: new Map([...(properties ?? []), ["kind", text], ["apiVersion", text], ["metadata", metadata]]),
  };
}
