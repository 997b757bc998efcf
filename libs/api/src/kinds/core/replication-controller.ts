import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { type PodAnnotationKeys, podAnnotationKeys } from "./pod/annotation-keys.js";
import { defaultPodTemplate, type PodTemplateSpec, validatePodTemplate } from "./pod/template.js";

interface ReplicationController extends ApiObject {
  readonly spec?: Spec;
  readonly status?: Status;
}

interface Spec {
  readonly replicas?: number;
  readonly selector?: Readonly<Record<string, string>>;
  readonly template?: PodTemplateSpec;
}

interface Status {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
}

export const replicationController = behavior<ReplicationController>((naming) => {
  const keys = podAnnotationKeys(naming);
  return {
    setDefaults,
    validate: ({ spec = {} }) => validateSpec(spec, keys),
    parts: { status: { validate: ({ status = {} }) => validateStatus(status) } },
  };
});

/** The template's labels are the selector and the controller's own labels where it has none. */
function setDefaults(object: ReplicationController): ReplicationController {
  const { spec = {}, metadata } = object;
  const labels = spec.template?.metadata?.labels;
  const unlabeled = Object.keys(metadata.labels ?? {}).length === 0;
  const unselective = Object.keys(spec.selector ?? {}).length === 0;
  return {
    ...object,
    metadata: labels !== undefined && unlabeled ? { ...metadata, labels } : metadata,
    spec: {
      ...spec,
      replicas: spec.replicas ?? 1,
      ...(labels !== undefined && unselective ? { selector: labels } : {}),
      ...(spec.template === undefined ? {} : { template: defaultPodTemplate(spec.template) }),
    },
  };
}

function validateSpec({ selector = {}, template }: Spec, keys: PodAnnotationKeys): FieldError[] {
  const at = "spec.template";
  const selected = Object.entries(selector);
  const labels = template?.metadata?.labels ?? {};
  // Their absence is told by the checks of the type.
  if (template === undefined) return [];
  const { restartPolicy, activeDeadlineSeconds } = template.spec ?? {};
  return [
    ...(selected.every(([key, value]) => labels[key] === value)
      ? []
      : [fieldError.invalid(`${at}.metadata.labels`, labels, "`selector` does not match template `labels`")]),
    ...validatePodTemplate(template, at, keys),
    ...(restartPolicy === undefined || restartPolicy === "Always"
      ? []
      : [fieldError.notSupported(`${at}.spec.restartPolicy`, restartPolicy, ["Always"])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [
          fieldError.forbidden(
            `${at}.spec.activeDeadlineSeconds`,
            "activeDeadlineSeconds in ReplicationController is not Supported",
          ),
        ]),
  ];
}

function validateStatus(status: Status): FieldError[] {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const names = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const;
  const invalid = (name: keyof Status, detail: string) =>
    fieldError.invalid(`status.${name}`, status[name] ?? 0, detail);
  return [
    ...[...names, "observedGeneration" as const]
      .filter((name) => (status[name] ?? 0) < 0)
      .map((name) => invalid(name, "must be greater than or equal to 0")),
    ...names
      .filter((name) => (status[name] ?? 0) > replicas)
      .map((name) => invalid(name, "cannot be greater than status.replicas")),
    ...(availableReplicas > readyReplicas
      ? [invalid("availableReplicas", "cannot be greater than readyReplicas")]
      : []),
  ];
}
