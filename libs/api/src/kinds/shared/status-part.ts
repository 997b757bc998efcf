import type { ApiObject } from "../../object.js";

/**
 * A write of the status alone: what clients say about labels, annotations, finalizers and owners beside it is not
 * taken, as little as the rest of the object.
 */
export function withStatusOnly<T extends ApiObject & { readonly status?: unknown }>(object: T, old: T): T {
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, ...given } = object.metadata;
  const { labels, annotations, finalizers, ownerReferences } = old.metadata;
  const { status: _s, ...rest } = old;
  // The parts of a T put together again.
  return {
    ...rest,
    metadata: {
      ...given,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    ...(object.status === undefined ? {} : { status: object.status }),
  } as T;
}
