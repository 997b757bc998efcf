import type { AnyObject } from "@orch/api/object.js";
import { parseSelectors, type Selectors } from "@orch/api/selectors/selectors.js";
import { selectableFields } from "@orch/api/writes.js";
import type { Write } from "./write.js";

/** What a request chooses of a collection. @throws ApiError BadRequest */
export function selectorsOf({ requested, request }: Write): Selectors {
  const { labelSelector = "", fieldSelector = "" } = request.options;
  return parseSelectors(requested, { labelSelector, fieldSelector });
}

export function matcher({ kind }: Write, { labels, fields }: Selectors): (object: AnyObject) => boolean {
  return (object) => {
    if (labels !== undefined && !labels.matches(object.metadata.labels)) return false;
    if (fields === undefined) return true;
    return fields.matches(selectableFields(kind, object));
  };
}
