import type { Naming } from "@orch/naming/naming.js";
import type { FieldError } from "@orch/status/field-error.js";
import type { Features } from "./features.js";
import type { ApiObject } from "./object.js";

/**
 * What a kind needs beyond its data: pure functions, new values out. An object given here has been
 * decoded against the kind's type; defaults and validation have had their walk over the data first.
 */
export interface Behavior<T extends ApiObject = ApiObject> {
  /** Defaults that depend on other fields. Applying them twice changes nothing more. */
  readonly setDefaults?: (object: T) => T;
  /**
   * The object without the fields of features that are off and that the stored state (undefined for a new object) does not
   * use: before it is prepared, at writes of the object itself.
   */
  readonly withoutDisabled?: (object: T, old: T | undefined, features: Features) => T;
  readonly prepareForCreate?: (object: T, context: WriteContext) => T;
  readonly prepareForUpdate?: (object: T, old: T, context: WriteContext) => T;
  /** `found` is what the walk over the type has found. */
  readonly validate?: (object: T, found: readonly FieldError[]) => readonly FieldError[];
  /** What is told alone, where there is something: nobody has looked at the rest of the object. */
  readonly validateFirst?: (object: T) => readonly FieldError[];
  /** What is told behind all that `validate` and the walk tell, whatever fields it is about. */
  readonly validateLast?: (object: T) => readonly FieldError[];
  /**
   * Beyond `validate`, for what may come only later. `asked` is the version that the client wrote (`v1beta1`): where an
   * older version allowed more, its writes still may.
   */
  readonly validateCreate?: (object: T, asked: string) => readonly FieldError[];
  /** Beyond `validate`, which is run on the new object too. */
  readonly validateUpdate?: (object: T, old: T, asked: string) => readonly FieldError[];
  /**
   * What only requests of this very version must keep to, on create and (with `old`) on every update, those of
   * subresources too. The objects are as the hub has them, prepared, and so are the paths of the errors.
   */
  readonly validateRequest?: (object: T, old: T | undefined) => readonly FieldError[];
  /** Writes through subresources whose body is the object itself: `status`, `approval`, `finalize`… */
  readonly parts?: Readonly<Record<string, Part<T>>>;
  /** What the writer of a valid object is told beside the answer, in the reference's words. */
  readonly warnings?: (object: T, was: Was<T>) => Iterable<string>;
  /** What is stored of an object, where that is less than what was written and judged; a dry run answers with all of it. */
  readonly kept?: (object: T) => T;
  /** Values for field selectors that are not simply the value at their path. */
  readonly selectableFields?: (object: T) => Readonly<Record<string, string>>;
}

/** What a written object was before: stored, and as the request had it before it was prepared. */
export interface Was<T> {
  /** Undefined for a new object. */
  readonly old: T | undefined;
  readonly given: T;
}

/** What a subresource may change of an object, and when it may not. */
export interface Part<T extends ApiObject = ApiObject> {
  /** The stored object with what the request may change; by default its status and metadata (`status`). */
  readonly prepare?: (object: T, old: T, context: WriteContext) => T;
  /** Everything wrong with the prepared object. */
  readonly validate?: (object: T, old: T) => readonly FieldError[];
  /** Paths that this subresource takes from the stored object: its writers never own them. `spec` for `status`. */
  readonly resets?: readonly string[];
  /** The only paths that it changes, where that is shorter to say. */
  readonly changes?: readonly string[];
  /** The object is looked into as a whole too, as when it is written itself: by its type and by `Behavior.validate`. */
  readonly whole?: true;
}

/** What a write knows beyond the objects. */
export interface WriteContext {
  readonly user: {
    readonly name: string;
    readonly uid: string;
    readonly groups: readonly string[];
    readonly extra: Readonly<Record<string, readonly string[]>>;
  };
  /** As metadata has it: RFC 3339, UTC, whole seconds. */
  readonly now: string;
  /** The version that the request came in; the stored one where it is not said. */
  readonly apiVersion?: string;
  /** Families of the addresses that services are given, the default one first: `IPv4` alone where it is not said. */
  readonly ipFamilies?: readonly string[];
  /** Features whose fields are kept: none where it is not said. */
  readonly features?: Features;
}

/**
 * Makes a kind's record; the naming gives it the words of the dialect in force, `release` (`1.32`) is the one that the
 * server is or emulates.
 */
export type BehaviorOf = (naming: Naming, release: string) => Behavior;

/** Kinds' records by the names of their types: `core/v1.Pod`. */
export type Behaviors = readonly (readonly [type: string, behavior: BehaviorOf])[];

/** A record written for its own object type, as the catalog keeps it. */
export function behavior<T extends ApiObject>(make: (naming: Naming, release: string) => Behavior<T>): BehaviorOf {
  // Only objects decoded as this kind reach its functions: the catalog pairs them.
  return make as unknown as BehaviorOf;
}
