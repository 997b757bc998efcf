import type { Integer64 } from "@orch/schema/integer64.js";
import { conversion } from "../../conversion.js";
import type { ApiObject } from "../../object.js";
import { numberIn, withAnnotations } from "../shared/annotations.js";
import { templateGenerationAnnotation } from "./daemon-set.js";
import { rollbackAnnotation } from "./rollback.js";
import type { DaemonSet, DaemonSetSpec, Deployment, DeploymentSpec } from "./types.js";

interface OldDeployment extends ApiObject {
  readonly spec?: DeploymentSpec & { readonly rollbackTo?: { readonly revision?: Integer64 } };
}

/** `spec.rollbackTo` is an annotation in the hub. */
export const deploymentWithRollback = conversion<OldDeployment, Deployment>(() => ({
  toHub: (object) => {
    if (object.spec?.rollbackTo === undefined) return object;
    const { rollbackTo, ...spec } = object.spec;
    const asked = { [rollbackAnnotation]: String(rollbackTo.revision ?? 0) };
    return { ...object, metadata: withAnnotations(object.metadata, asked), spec };
  },
  fromHub: (object) => {
    const revision = numberIn(object.metadata, rollbackAnnotation);
    if (revision === undefined) return object;
    const metadata = withAnnotations(object.metadata, { [rollbackAnnotation]: undefined });
    return { ...object, metadata, spec: { ...object.spec, rollbackTo: revision === 0 ? {} : { revision } } };
  },
}));

interface OldDaemonSet extends ApiObject {
  readonly spec?: DaemonSetSpec & { readonly templateGeneration?: Integer64 };
}

/** `spec.templateGeneration` is an annotation in the hub. */
export const daemonSetWithGeneration = conversion<OldDaemonSet, DaemonSet>(() => ({
  toHub: (object) => {
    if (object.spec?.templateGeneration === undefined) return object;
    const { templateGeneration, ...spec } = object.spec;
    const count = { [templateGenerationAnnotation]: String(templateGeneration) };
    return { ...object, metadata: withAnnotations(object.metadata, count), spec };
  },
  fromHub: (object) => {
    const count = numberIn(object.metadata, templateGenerationAnnotation);
    if (count === undefined) return object;
    const metadata = withAnnotations(object.metadata, { [templateGenerationAnnotation]: undefined });
    return { ...object, metadata, spec: { ...object.spec, ...(count === 0 ? {} : { templateGeneration: count }) } };
  },
}));
