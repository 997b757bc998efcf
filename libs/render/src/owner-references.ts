import type { AnyObject } from "@orch/api/object.js";
import { jsonKey } from "@orch/schema/equal.js";
import type { OwnerReference } from "@orch/schema/object-meta.js";
import { shortened } from "@orch/status/shown-causes.js";

interface Said {
  readonly object: AnyObject;
  readonly warnings: readonly string[];
}

/** What a warning says of owners: it is a header, which clients and proxies bound. */
const maxUids = 20;
const maxUidLength = 64;

/**
 * The object with each of its owners once; whoever names one twice is warned, as the reference does: of a body, and of
 * what a patch and mutating admission came to.
 */
export function withOwnersOnce(said: Said, since: "" | " after mutating admission happens" = ""): Said {
  const { object, warnings } = said;
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length < 2) return said;
  const once = new Map<string, OwnerReference>();
  const repeated = new Set<string>();
  for (const owner of owners) {
    const key = jsonKey(owner);
    if (once.has(key)) repeated.add(owner.uid ?? "");
    else once.set(key, owner);
  }
  if (repeated.size === 0) return said;
  const uids = [...repeated].slice(0, maxUids).map((uid) => shortened(uid, maxUidLength));
  if (repeated.size > maxUids) uids.push(`and ${repeated.size - maxUids} more`);
  const warning =
    `.metadata.ownerReferences contains duplicate entries${since}; API server dedups owner references in 1.20+, and may ` +
    `reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(", ")}`;
  return {
    object: { ...object, metadata: { ...object.metadata, ownerReferences: [...once.values()] } },
    warnings: [...warnings, warning],
  };
}
