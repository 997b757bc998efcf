import type { AnyObject } from "@orch/api/object.js";
import type { Write } from "../../write/write.js";

/** What a node is about to do with an object. Hub objects. */
export type Change =
  | { readonly type: "create"; readonly object: AnyObject }
  | { readonly type: "update"; readonly object: AnyObject; readonly old: AnyObject }
  /** Also an eviction, of the subresource of that name. */
  | { readonly type: "delete"; readonly old: AnyObject };

export interface NodeWrite {
  readonly write: Write;
  /** Who writes, by the name of the node. */
  readonly node: string;
  readonly change: Change;
}

/** Says why the node may not do it. @throws ApiError NotFound, for an object that the answer depends on */
export type NodeRule = (asked: NodeWrite) => string | undefined | Promise<string | undefined>;

/** The object as it is to be, or as it was where it is to go. */
export function stateOf({ change }: Pick<NodeWrite, "change">): AnyObject {
  return change.type === "delete" ? change.old : change.object;
}
