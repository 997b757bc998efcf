import type { AnyObject, ApiObject } from "../../object.js";

/** One thing that a selector asks for; operators are those of label selectors, and what newer clients may know. */
export interface AskedRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** A selector of the request that is asked about: its text or its requirements. */
export interface AskedSelector {
  readonly rawSelector?: string;
  readonly requirements?: readonly AskedRequirement[];
}

export interface AskedResource {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: AskedSelector;
  readonly labelSelector?: AskedSelector;
}

export interface AskedPath {
  readonly path?: string;
  readonly verb?: string;
}

/** Whether somebody may do something: who is asked about is absent in a SelfSubjectAccessReview. */
export interface AccessReview extends ApiObject {
  readonly spec?: {
    readonly resourceAttributes?: AskedResource;
    readonly nonResourceAttributes?: AskedPath;
    readonly user?: string;
    readonly groups?: readonly string[];
    readonly uid?: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
}

/** What whoever asks may do in a namespace. */
export interface RulesReview extends ApiObject {
  readonly spec?: { readonly namespace?: string };
}

/** An object that was decoded as one of the three kinds that ask for access. */
export function accessReview(object: AnyObject): AccessReview {
  // Decoding has checked it against a type with these fields.
  return object as AccessReview;
}

/** An object that was decoded as a SelfSubjectRulesReview. */
export function rulesReview(object: AnyObject): RulesReview {
  return object as RulesReview;
}
