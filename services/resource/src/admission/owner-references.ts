import type { AnyObject } from "@orch/api/object.js";
import type { Decision, ResourceAttributes } from "@orch/auth/authorizer.js";
import { equalJson } from "@orch/schema/equal.js";
import type { OwnerReference } from "@orch/schema/object-meta.js";
import type { Write } from "../write/write.js";
import type { AdmissionPlugin } from "./admission.js";
import { refused } from "./refused.js";

/**
 * Whoever changes the owners of an object could have it deleted, and whoever blocks the deletion of an owner could keep
 * it: both are rights of their own.
 */
export function ownerReferencesPermissionEnforcement(): AdmissionPlugin {
  return {
    name: "OwnerReferencesPermissionEnforcement",
    handles: ({ group, plural }, subresource) => !(group === "" && plural === "pods" && subresource === "status"),
    validate({ write, object, old }) {
      const [now, before] = [ownersOf(object), old === undefined ? [] : ownersOf(old)];
      // Almost always.
      if (now.length === 0 && before.length === 0) return undefined;
      return equalJson(now, before) ? undefined : check(write, { object, isNew: old === undefined, now, before });
    },
  };
}

interface Change {
  readonly object: AnyObject;
  readonly isNew: boolean;
  readonly now: readonly OwnerReference[];
  readonly before: readonly OwnerReference[];
}

async function check(write: Write, { object, isNew, now, before }: Change): Promise<void> {
  const { group, version, resource, subresource, namespace, name } = write.request;
  const ask = (attributes: Omit<ResourceAttributes, "kind" | "user">): Decision | Promise<Decision> =>
    write.deps.permissions.authorizer.authorize(
      { kind: "resource", user: write.request.user, ...attributes },
      write.span,
    );
  if (!isNew) {
    const { outcome, reason } = await ask({
      ...{ verb: "delete", group, version, resource, subresource, namespace, name },
    });
    if (outcome !== "allow") {
      throw refused(write, object, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
    }
  }
  const blocking = newlyBlocking(now, before);
  if (blocking.length === 0) return;
  const finalizers = { verb: "update", version: "*", subresource: "finalizers" };
  const all = await ask({ ...finalizers, group: "*", resource: "*", namespace: "", name: "*" });
  if (all.outcome === "allow") return;
  for (const { apiVersion = "", kind = "", name: owner = "" } of blocking) {
    const found = write.deps.catalog.kind(apiVersion, kind);
    if (found === undefined) {
      const why = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
      const what = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
      throw refused(write, object, `${what}: ${why}`);
    }
    const { outcome, reason } = await ask({
      ...finalizers,
      ...{ group: found.group, version: found.version, resource: found.plural, name: owner },
      namespace: found.namespaced ? namespace : "",
    });
    if (outcome === "allow") continue;
    const what = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
    throw refused(write, object, `${what}: ${reason}, <nil>`);
  }
}

function newlyBlocking(now: readonly OwnerReference[], before: readonly OwnerReference[]): readonly OwnerReference[] {
  const blocks = ({ blockOwnerDeletion }: OwnerReference): boolean => blockOwnerDeletion === true;
  const known = new Set(before.filter(blocks).map(({ uid }) => uid));
  return now.filter((reference) => blocks(reference) && !known.has(reference.uid));
}

function ownersOf({ metadata }: AnyObject): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}
