import type { Kind } from "../api/discovery.js";
import type { Place } from "../api/paths.js";
import type { Tree } from "../json.js";

/** What a tab about an object is given. */
export interface ObjectProps {
  readonly kind: Kind;
  readonly place: Place;
  readonly object: Tree;
}
