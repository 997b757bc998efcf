/** An object as the wire has it: what every kind shares is typed, the rest is for the caller to look at. */
export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface ObjectList {
  /** Version of the whole collection: where a watch goes on from. */
  readonly resourceVersion: string;
  /** Token of the next page; empty on the last. */
  readonly continue: string;
  readonly remainingItemCount?: number;
  readonly items: readonly ApiObject[];
}

/** A collection, of one namespace or, where that is absent, of the cluster or of all namespaces. */
export interface Collection {
  readonly group: string;
  readonly version: string;
  /** Plural: `configmaps`. */
  readonly resource: string;
  readonly namespace?: string;
}

/** `/api/v1/namespaces/obs/configmaps/a/status`. */
export function pathOf(collection: Collection, name?: string, subresource?: string): string {
  const { group, version, resource, namespace } = collection;
  const root = group === "" ? ["api", version] : ["apis", group, version];
  const scope = namespace === undefined ? [] : ["namespaces", namespace];
  const object = name === undefined ? [] : [name];
  const sub = subresource === undefined ? [] : [subresource];
  return `/${[...root, ...scope, resource, ...object, ...sub].map(encodeURIComponent).join("/")}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isApiObject(value: unknown): value is ApiObject {
  return isRecord(value) && isRecord(value["metadata"]);
}

/** A list body; undefined where the value is none. */
export function listOf(value: unknown): ObjectList | undefined {
  if (!isRecord(value) || !isRecord(value["metadata"])) return undefined;
  const { items, metadata } = value;
  const { remainingItemCount } = metadata;
  const objects: unknown = items ?? [];
  if (!Array.isArray(objects) || !objects.every(isApiObject)) return undefined;
  return {
    resourceVersion: String(metadata["resourceVersion"] ?? ""),
    continue: String(metadata["continue"] ?? ""),
    ...(typeof remainingItemCount === "number" ? { remainingItemCount } : {}),
    items: objects,
  };
}
