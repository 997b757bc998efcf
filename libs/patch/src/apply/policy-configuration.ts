import { isObject, type JsonObject, type MessageType } from "@orch/schema/descriptor.js";
import { showPathElement } from "../fields/path-element.js";
import type { Patched } from "../policy-patch.js";
import { problemsOf } from "./check.js";
import { elementOf, TypedError } from "./list-items.js";
import { merge } from "./merge.js";
import { type Schema, schemaOf } from "./schema.js";

/**
 * An object with the fields that a mutating policy sets, as a server-side apply of nobody sets them: lists of maps are merged
 * by their keys, and what is one piece may not be touched. Of which kind it is stays as it was.
 */
export function applyPolicyConfiguration(type: MessageType, live: JsonObject, configuration: JsonObject): Patched {
  const schema = schemaOf(type);
  const { apiVersion, kind } = live;
  const wanted = { ...configuration, apiVersion, kind };
  const failed = (why: string): Patched => ({ ok: false, error: `error applying patch: ${why}` });
  const wrong = problemsOf(schema, wanted, { duplicates: false });
  if (wrong !== undefined) return failed(`failed to convert patch object to typed object: ${wrong}`);
  const pieces: string[] = [];
  collectAtomic(schema, wanted, { at: "", pieces });
  if (pieces.length > 0) {
    const paths = pieces.join(", ");
    return failed(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${paths}`);
  }
  try {
    return { ok: true, document: merge(schema, live, wanted) };
  } catch (thrown) {
    if (!(thrown instanceof TypedError)) throw thrown;
    return failed(`failed to merge patch: ${thrown.message}`);
  }
}

interface Walk {
  readonly at: string;
  readonly pieces: string[];
}

/** The paths of all that is one piece; what is below of it is not looked at. */
function collectAtomic({ list, map }: Schema, value: unknown, { at, pieces }: Walk): void {
  if (Array.isArray(value) && list !== undefined) {
    if (list.atomic) {
      pieces.push(at);
      return;
    }
    for (const item of value) {
      const element = elementOf(list, item);
      const step = typeof element === "string" ? showPathElement(element) : "";
      collectAtomic(list.item, item, { at: at + step, pieces });
    }
  }
  if (!isObject(value) || map === undefined) return;
  if (map.atomic) {
    pieces.push(at);
    return;
  }
  for (const [name, below] of Object.entries(value)) {
    const schema = map.fields.get(name) ?? map.element;
    if (schema !== undefined) collectAtomic(schema, below, { at: `${at}.${name}`, pieces });
  }
}
