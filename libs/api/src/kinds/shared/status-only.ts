import type { ApiObject } from "../../object.js";

interface WithStatus extends ApiObject {
  readonly status?: unknown;
}

/**
 * The stored object with the status of a write, for kinds whose status endpoint takes nothing else: labels,
 * annotations, finalizers and owners stay as stored too; who manages which field is the write's.
 */
export function statusOnly<T extends WithStatus>(object: T, old: T): T {
  const { labels, annotations, finalizers, ownerReferences, ...identity } = object.metadata;
  const stored = old.metadata;
  return {
    ...old,
    status: object.status,
    metadata: {
      ...identity,
      ...(stored.labels === undefined ? {} : { labels: stored.labels }),
      ...(stored.annotations === undefined ? {} : { annotations: stored.annotations }),
      ...(stored.finalizers === undefined ? {} : { finalizers: stored.finalizers }),
      ...(stored.ownerReferences === undefined ? {} : { ownerReferences: stored.ownerReferences }),
    },
  };
}

/** What {@link statusOnly} takes from the stored object. */
export const allButStatus = ["metadata", "spec"];
