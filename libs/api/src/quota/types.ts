import type { Resources } from "../kinds/core/resources.js";
import type { AnyObject, ApiObject } from "../object.js";

/** One condition on the objects that a quota counts. */
export interface ScopeRequirement {
  readonly scopeName?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface ResourceQuota extends ApiObject {
  readonly spec?: {
    readonly hard?: Resources;
    readonly scopes?: readonly string[];
    readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] };
  };
  readonly status?: QuotaStatus;
}

export interface QuotaStatus {
  readonly hard?: Resources;
  readonly used?: Resources;
}

/** How the objects of one kind are counted and measured. */
export interface QuotaEvaluator {
  /** Whether an update may need more than before. */
  readonly countsUpdates: boolean;
  /** Of the resources of a quota those that objects of the kind use. */
  readonly matching: (names: readonly string[]) => readonly string[];
  /** Whether an object is of a scope. */
  readonly isIn: (requirement: ScopeRequirement, object: AnyObject) => boolean;
  /** What an object uses at a time, in milliseconds since 1970. */
  readonly usage: (object: AnyObject, now: number) => Resources;
  /** What an object must say where these resources are limited, and does not. */
  readonly missing: (names: readonly string[], object: AnyObject) => string | undefined;
}

/** Every scope that a quota names, in either way of naming them. */
export function scopesOf({ spec }: ResourceQuota): readonly ScopeRequirement[] {
  const plain = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  return [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}
