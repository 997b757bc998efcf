import type { Kind } from "@orch/api/catalog.js";
import type { Write } from "../../write/write.js";
import { type Matcher, type ResourceMatch, resourceAsked } from "./matcher.js";
import type { Operation } from "./question.js";

/** One of those who want to be asked, with how the write's resource is named by it. */
export interface Concerned<T> {
  readonly one: T;
  readonly match: ResourceMatch;
}

/**
 * Those who want to be asked of a resource, sorted out when its first write comes: a write that concerns nobody costs a
 * look-up.
 */
export interface ByResource<T> {
  of(write: Write, operation: Operation): readonly Concerned<T>[];
}

const nobody: readonly never[] = [];

export function byResource<T>(all: readonly { readonly matcher: Matcher; readonly one: T }[]): ByResource<T> {
  if (all.length === 0) return { of: () => nobody };
  /** Kinds come and go: which ones are the same resource may be another matter with the next catalog. */
  let version = -1;
  let current = new WeakMap<Kind, Map<string, readonly Concerned<T>[]>>();
  return {
    of(write, operation) {
      const { deps, requested, request } = write;
      if (deps.catalog.version !== version) {
        version = deps.catalog.version;
        current = new WeakMap();
      }
      const byOperation = current.get(requested) ?? new Map<string, readonly Concerned<T>[]>();
      current.set(requested, byOperation);
      const key = `${operation}/${request.subresource}`;
      const known = byOperation.get(key);
      if (known !== undefined) return known;
      const asked = resourceAsked(write, operation);
      const found = all.flatMap(({ matcher, one }) => {
        const match = matcher.resource(asked);
        return match === undefined ? [] : [{ one, match }];
      });
      byOperation.set(key, found);
      return found;
    },
  };
}
