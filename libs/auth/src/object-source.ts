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

/** Told of a collection: of all of it first, then of each change, in order. */
export interface Follower {
  /** The whole collection: at the start, and again where changes may have been missed. */
  replaced(objects: readonly AnyObject[]): void;
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
