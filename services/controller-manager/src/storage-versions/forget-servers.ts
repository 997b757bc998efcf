import type { ApiObject } from "@orch/client/objects.js";
import type { SeenCondition } from "../seen/conditions.js";

export interface ServerVersion {
  readonly apiServerID?: string;
  readonly encodingVersion?: string;
}

/** In which version each server stores a resource. */
export interface StorageVersion extends ApiObject {
  readonly status?: {
    readonly storageVersions?: readonly ServerVersion[];
    readonly commonEncodingVersion?: string;
    readonly conditions?: readonly SeenCondition[];
  };
}

/** `unset`: nobody is left, and the object can go. */
export type Forgotten = "same" | "unset" | { readonly status: NonNullable<StorageVersion["status"]> };

/** What is left of a storage version when servers are gone; what all others agree on is said anew. `now`: RFC 3339. */
export function forgetServers(
  { status = {} }: StorageVersion,
  isThere: (server: string) => boolean,
  now: string,
): Forgotten {
  const { storageVersions: all = [], commonEncodingVersion: _before, ...rest } = status;
  const storageVersions = all.filter(({ apiServerID = "" }) => isThere(apiServerID));
  if (storageVersions.length === all.length) return "same";
  const [first] = storageVersions;
  if (first === undefined) return "unset";
  const common = storageVersions.every(({ encodingVersion }) => encodingVersion === first.encodingVersion)
    ? first.encodingVersion
    : undefined;
  const conditions = withAgreement(status.conditions ?? [], common !== undefined, now);
  const agreed = common === undefined ? {} : { commonEncodingVersion: common };
  return { status: { ...rest, ...agreed, storageVersions, conditions } };
}

const type = "AllEncodingVersionsEqual";

function withAgreement(conditions: readonly SeenCondition[], agree: boolean, now: string): readonly SeenCondition[] {
  const status = agree ? "True" : "False";
  const before = conditions.find((each) => each.type === type);
  const reason = agree ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset";
  const message = `Common encoding version ${agree ? "set" : "unset"}`;
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
  const said = { type, status, reason, message, lastTransitionTime };
  return [...conditions.filter((each) => each !== before), said];
}
