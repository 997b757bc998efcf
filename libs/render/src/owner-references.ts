import type { AnyObject } from "@orch/api/object.js";
import { equalJson } from "@orch/schema/equal.js";
import type { OwnerReference } from "@orch/schema/object-meta.js";

interface Said {
  readonly object: AnyObject;
  readonly warnings: readonly string[];
}

/** The object with each of its owners once; whoever names one twice is warned, as the reference does. */
export function withOwnersOnce(said: Said): Said {
  const { object, warnings } = said;
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length < 2) return said;
  const once: OwnerReference[] = [];
  const repeated = new Set<string>();
  for (const owner of owners) {
    if (once.some((known) => equalJson(known, owner))) repeated.add(owner.uid ?? "");
    else once.push(owner);
  }
  if (repeated.size === 0) return said;
  const warning =
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may " +
    `reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...repeated].join(", ")}`;
  return {
    object: { ...object, metadata: { ...object.metadata, ownerReferences: once } },
    warnings: [...warnings, warning],
  };
}
