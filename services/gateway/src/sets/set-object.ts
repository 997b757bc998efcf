import { createHash } from "node:crypto";
import type { Kind } from "@orch/api/catalog.js";
import { objectOf } from "@orch/codec/json.js";
import { setsGroup, setsKey } from "@orch/naming/naming.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";
import type { Target } from "@orch/status/target.js";

/** A set as clients read and write it. */
export interface ObjectSet {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly adopt?: boolean;
    readonly force?: boolean;
    /** Absent: the members stay as they are. `null` is how a set is read. */
    readonly objects?: readonly unknown[] | null;
  };
  readonly status?: SetStatus;
}

export interface SetStatus {
  readonly phase?: "Applying" | "Applied" | "Incomplete" | "Deleting";
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly members?: readonly Member[];
  readonly operation?: Operation;
}

/** A change that is under way. */
export interface Operation {
  readonly id: string;
  /** RFC 3339. */
  readonly deadline: string;
}

/** An object that belongs to a set. */
export interface Member {
  readonly group?: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Absent where it is not known to exist. */
  readonly uid?: string;
  readonly state?: "Applied" | "Pending" | "Failed" | "Leaving";
  readonly action?: Action;
  readonly message?: string;
  readonly changes?: readonly ShownChange[];
}

/** What becomes of an object; one that is released belongs to the set no more and stays. */
export type Action = "Create" | "Adopt" | "Change" | "Keep" | "Delete" | "Release";

export interface ShownChange {
  readonly path: string;
  readonly operation: string;
  readonly before?: string;
  readonly after?: string;
}

/** The label by which a member says of which set it is one. */
export const markLabel = setsKey("part-of");

/** What is the same of every object of a set. */
export interface Mark {
  /** The value of {@link markLabel}. */
  readonly id: string;
  /** Whose fields those are that the set gives its members. */
  readonly manager: string;
}

const longestManaged = 100;

/** By the name of the set: the mark is known before the set is stored, so that a dry run judges what is written then. */
export function markOf({ resource, namespace, name }: Pick<Target, "resource" | "namespace" | "name">): Mark {
  const id = createHash("sha256").update(`${resource}/${namespace}/${name}`).digest("hex").slice(0, 40);
  return { id, manager: `${setsGroup}/${name.length > longestManaged ? id : name}` };
}

/** Whether a kind is one whose writes are changes of other objects. */
export const isSet = (kind: Kind): boolean => kind.group === setsGroup;

/** A set in the body of an answer of the resource service. */
export function readSet(body: Buffer): ObjectSet {
  const { metadata = {}, ...set }: { metadata?: ObjectMeta } = objectOf(body);
  return { ...set, metadata };
}

/** `configmaps "x"`, `deployments.apps "ns/x"`. */
export function nameOf({ group = "", resource, namespace = "", name }: Omit<Member, "version" | "kind">): string {
  const of = group === "" ? resource : `${resource}.${group}`;
  return `${of} "${namespace === "" ? name : `${namespace}/${name}`}"`;
}
