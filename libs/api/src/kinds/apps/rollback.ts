import { validateAnnotations } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { withAnnotations } from "../shared/annotations.js";
import type { Deployment } from "./types.js";

/** The body of `deployments/{name}/rollback` (apps/v1beta1, extensions/v1beta1). */
export interface DeploymentRollback extends ApiObject {
  readonly name?: string;
  readonly updatedAnnotations?: Readonly<Record<string, string>>;
  readonly rollbackTo?: { readonly revision?: number };
}

export const deploymentRollback = behavior<DeploymentRollback>(() => ({ validate: validateRollback }));

/** Where `apps/v1` keeps the `rollbackTo` of Deployments. */
export const rollbackAnnotation = "deprecated.deployment.rollback.to";

export function validateRollback({ name = "", updatedAnnotations, rollbackTo = {} }: DeploymentRollback): FieldError[] {
  const { revision = 0 } = rollbackTo;
  return [
    ...validateAnnotations(updatedAnnotations, "updatedAnnotations"),
    ...(name === "" ? [fieldError.required("name", "name is required")] : []),
    ...(revision < 0 ? [fieldError.invalid("rollback.version", revision, "must be greater than or equal to 0")] : []),
  ];
}

/** A stored Deployment that asks its controller to go back. */
export function withRollback<T extends Deployment>(object: T, rollback: DeploymentRollback): T {
  const { updatedAnnotations = {}, rollbackTo = {} } = rollback;
  const asked = { [rollbackAnnotation]: String(rollbackTo.revision ?? 0) };
  return { ...object, metadata: withAnnotations(object.metadata, { ...updatedAnnotations, ...asked }) };
}
