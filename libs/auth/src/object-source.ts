import type { AnyObject } from "@orch/api/object.js";

/** A collection of the cluster, or of one namespace. */
export interface Collection {
  readonly group: string;
  readonly version: string;
  /** Plural: `rolebindings`. */
  readonly resource: string;
  /** All of them where absent. */
  readonly namespace?: string;
  readonly fieldSelector?: string;
}

/**
 * Told of a collection, by every source alike:
 *
 * - All of it at one moment first, then every change after that, in order, none missing and none twice.
 * - All of it anew where changes may have been missed: at once after a mere gap in the history; after any other failure,
 *   the follower's own included, when it was logged once and a pause is over.
 * - Nothing any more once it was stopped, not even the rest of what came together.
 * - What cannot be read is not told of; that is logged by name.
 */
export interface Follower {
  /** The whole collection at a revision: at the start, and again where changes may have been missed. */
  replaced(objects: readonly AnyObject[], revision: number): void;
  /** An object was made or changed. */
  changed(object: AnyObject): void;
  /** With the object as it was last. */
  deleted(object: AnyObject): void;
}

export interface Following {
  stop(): void;
}

/** The objects that decisions rest on, as whoever decides reads them: from memory, fractions of a second behind. */
export interface ObjectSource {
  /** Undefined where there is none. @throws ApiError where nobody can be asked */
  get(collection: Collection, name: string): Promise<AnyObject | undefined>;
  /** Goes on until stopped, whatever fails; what fails is logged by the source. */
  follow(collection: Collection, follower: Follower): Following;
}
