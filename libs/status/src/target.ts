/** A collection of objects, as a path names it. */
export interface Collection {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural: `configmaps`. */
  readonly resource: string;
  /** "" for what is cluster scoped and for all namespaces together. */
  readonly namespace: string;
}

/**
 * What a request is about, from its path over the messages between services to the object that is written. The resource is
 * the client's word: nobody has looked it up.
 */
export interface Target extends Collection {
  /** "" for a collection. */
  readonly name: string;
  /** `status`, `proxy/a/b`; "" for the object itself. */
  readonly subresource: string;
}
