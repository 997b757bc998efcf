import type { AnyObject } from "@orch/api/object.js";
import { unreadableManager } from "../write/fields/field-management.js";

/**
 * What mutating policies and webhooks have made of an object, where its managedFields can be read; where they cannot, those
 * from before are put back, and the writer is warned.
 */
export function withReadableManagers(
  object: AnyObject,
  before: AnyObject,
): { readonly object: AnyObject; readonly warnings: readonly string[] } {
  const { managedFields, ...metadata } = object.metadata;
  const kept = before.metadata.managedFields;
  const [wrong] =
    managedFields === kept ? [] : (managedFields ?? []).flatMap((entry) => unreadableManager(entry) ?? []);
  if (wrong === undefined) return { object, warnings: [] };
  const warning = `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${wrong}`;
  const again = kept === undefined ? metadata : { ...metadata, managedFields: kept };
  return { object: { ...object, metadata: again }, warnings: [warning] };
}
