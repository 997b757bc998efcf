import type { ResourceAttributes } from "@orch/auth/authorizer.js";
import { forbiddenError } from "@orch/auth/forbidden.js";
import type { Write } from "./write.js";

/**
 * An update or apply of what is not there creates it, which is a right of its own (rules: Authentication, 4).
 * @throws ApiError Forbidden
 */
export async function checkMayCreate({ deps, request, span }: Write): Promise<void> {
  const { group, version, resource, subresource, namespace, name, user } = request;
  const attributes: ResourceAttributes = {
    ...{ kind: "resource", user, verb: "create" },
    ...{ group, version, resource, subresource, namespace, name },
  };
  const { outcome, reason } = await deps.permissions.authorizer.authorize(attributes, span);
  if (outcome !== "allow") throw forbiddenError(attributes, reason);
}
