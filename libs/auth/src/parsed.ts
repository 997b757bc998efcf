/** A configuration that was read, or every problem that it has, each a sentence for a person: `jwt[0].issuer.url: Required value`. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] };
