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
  readonly properties: Properties | undefined;
  readonly required: Iterable<string>;
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

/** The properties of an object by their names: each is made when somebody asks for it. */
export interface Properties {
  get(name: string): SchemaView | undefined;
  keys(): Iterable<string>;
}

/** Properties that `make` makes of their names, each once. */
export function lazyProperties(
  names: () => Iterable<string>,
  make: (name: string) => SchemaView | undefined,
): Properties {
  const made = new Map<string, SchemaView | undefined>();
  return {
    keys: names,
    get(name) {
      const known = made.get(name);
      if (known !== undefined || made.has(name)) return known;
      const view = make(name);
      made.set(name, view);
      return view;
    },
  };
}

const empty: SchemaView = {
  type: undefined,
  format: undefined,
  nullable: false,
  properties: undefined,
  required: [],
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

const withMeta = new WeakMap<SchemaView, SchemaView>();

/** A root or an embedded resource shows its kind, its version and two names, whatever its schema says. */
export function withObjectMeta(view: SchemaView): SchemaView {
  const known = withMeta.get(view) ?? metaAdded(view);
  withMeta.set(view, known);
  return known;
}

function metaAdded(view: SchemaView): SchemaView {
  const { properties } = view;
  const meta = properties?.get("metadata");
  const complete =
    properties?.get("kind")?.type === "string" &&
    properties.get("apiVersion")?.type === "string" &&
    meta?.type === "object" &&
    meta.properties?.get("name")?.type === "string" &&
    meta.properties.get("generateName")?.type === "string";
  if (complete) return { ...view, type: "object" };
  return {
    ...view,
    type: "object",
    properties: {
      get: (name) => objectMeta.get(name) ?? properties?.get(name),
      keys: () => new Set([...(properties?.keys() ?? []), ...objectMeta.keys()]),
    },
  };
}

const objectMeta = new Map([
  ["kind", text],
  ["apiVersion", text],
  [
    "metadata",
    viewOf({
      type: "object",
      properties: new Map([
        ["name", text],
        ["generateName", text],
      ]),
    }),
  ],
]);
