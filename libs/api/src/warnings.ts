import type { Was } from "./behavior.js";
import type { Kind } from "./catalog.js";
import type { AnyObject } from "./object.js";

/** Nobody reads more; whoever shows them says that there are more. */
const most = 1000;
const longest = 2048;

/**
 * What the writer of a valid object is warned of, each once. Work and texts are bounded, whatever the object holds.
 * Hub objects, prepared.
 */
export function objectWarnings(kind: Kind, object: AnyObject, was: Was<AnyObject>): readonly string[] {
  const { warnings } = kind.behavior;
  if (warnings === undefined) return none;
  const told = new Set<string>();
  for (const text of warnings(object, was)) {
    told.add(text.length > longest ? text.slice(0, longest) : text);
    if (told.size === most) break;
  }
  return [...told];
}

const none: readonly string[] = [];
