import type { WriteContext } from "../../behavior.js";
import type { CertificateSigningRequest, Condition } from "./types.js";

type Request = CertificateSigningRequest;

/** Who asks is what the request says of its user, whatever the object says. */
export function fromRequester(object: Request, { user }: WriteContext): Request {
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = object.spec ?? {};
  return {
    ...object,
    spec: {
      ...spec,
      ...(user.name === "" ? {} : { username: user.name }),
      ...(user.uid === "" ? {} : { uid: user.uid }),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    },
  };
}

/** What was asked for does not change: of an ordinary update only the metadata is taken. */
export function withMetadataOf(object: Request, old: Request): Request {
  return { ...old, metadata: object.metadata };
}

/** A signer's write: the certificate and conditions, but what was decided stays as it is. */
export function withStatusOf(object: Request, old: Request, { now }: WriteContext): Request {
  const given = object.status?.conditions ?? [];
  const kept = ["Approved", "Denied"].reduce((conditions, type) => keepOld(conditions, old, type), given);
  return { ...withMetadataOf(object, old), status: { ...object.status, ...conditionsOf(kept, old, now) } };
}

/** An approver's write: the conditions alone. */
export function withApprovalOf(object: Request, old: Request, { now }: WriteContext): Request {
  const { conditions: _old, ...status } = old.status ?? {};
  return {
    ...withMetadataOf(object, old),
    status: { ...status, ...conditionsOf(object.status?.conditions ?? [], old, now) },
  };
}

/** The stored conditions of a type in the place of the given ones; that some are missing is told by validation. */
function keepOld(given: readonly Condition[], old: Request, type: string): readonly Condition[] {
  const stored = (old.status?.conditions ?? []).filter((c) => c.type === type);
  if (given.filter((c) => c.type === type).length < stored.length) return given;
  const left = [...stored];
  return given.map((c) => (c.type === type ? (left.shift() ?? c) : c));
}

function conditionsOf(
  given: readonly Condition[],
  old: Request,
  now: string,
): { readonly conditions?: readonly Condition[] } {
  if (given.length === 0) return {};
  return { conditions: given.map((condition) => withTimes(condition, old.status?.conditions ?? [], now)) };
}

/** Times that the client left out: a condition whose status is as before has not moved since. */
function withTimes(condition: Condition, stored: readonly Condition[], now: string): Condition {
  const before = stored.find(
    (c) => c.type === condition.type && c.status === condition.status && c.lastTransitionTime !== undefined,
  );
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? before?.lastTransitionTime ?? now,
  };
}
