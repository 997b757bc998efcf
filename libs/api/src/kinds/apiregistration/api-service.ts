import { dns1035Label, dnsSubdomain, pathSegment, portNumber } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { invalidFor } from "../shared/problems.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";

interface ApiService extends ApiObject {
  readonly spec?: ApiServiceSpec;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface ApiServiceSpec {
  readonly service?: { readonly namespace?: string; readonly name?: string; readonly port?: number };
  readonly group?: string;
  readonly version?: string;
  readonly insecureSkipTLSVerify?: boolean;
  /** Base64. */
  readonly caBundle?: string;
  readonly groupPriorityMinimum?: number;
  readonly versionPriority?: number;
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export const apiService = behavior<ApiService>(() => ({
  prepareForCreate(object, { now }) {
    if (object.spec?.service !== undefined) return object;
    // What this server answers itself is there at once.
    const available: Condition = {
      type: "Available",
      status: "True",
      lastTransitionTime: now,
      reason: "Local",
      message: "Local APIServices are always available",
    };
    return { ...object, status: { conditions: [available] } };
  },
  validate: (object) => validateApiService(object),
  parts: {
    status: {
      resets: allButStatus,
      prepare: (object, old) => statusOnly(object, old),
      validate: ({ status }) => validateStatus(status?.conditions ?? []),
    },
  },
}));

function validateApiService({ metadata, spec = {} }: ApiService): readonly FieldError[] {
  const { group = "", version = "", groupPriorityMinimum = 0, versionPriority = 0 } = spec;
  return [
    ...validateName(metadata.name ?? "", `${version}.${group}`),
    ...(group === "" && version !== "v1"
      ? [fieldError.required("spec.group", "only v1 may have an empty group and it better be legacy kube")]
      : []),
    ...(group === "" ? [] : invalidFor("spec.group", group, dnsSubdomain(group))),
    ...dns1035Label(version).map((problem) => fieldError.invalid("spec.version", version, problem)),
    ...priority("groupPriorityMinimum", groupPriorityMinimum, 20_000),
    ...priority("versionPriority", versionPriority, 1000),
    ...(spec.service === undefined ? validateLocal(spec) : validateRemote(spec, spec.service)),
  ];
}

/** A name of wrong form is told by the metadata's own check. */
function validateName(name: string, wanted: string): readonly FieldError[] {
  if (name === "" || name === wanted || pathSegment(name).length > 0) return [];
  const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`;
  return [fieldError.invalid("metadata.name", name, detail)];
}

function priority(name: string, value: number, max: number): readonly FieldError[] {
  if (value > 0 && value <= max) return [];
  return [fieldError.invalid(`spec.${name}`, value, `must be positive and less than ${max}`)];
}

function validateLocal({ caBundle = "", insecureSkipTLSVerify = false }: ApiServiceSpec): readonly FieldError[] {
  const bytes = `${Buffer.from(caBundle, "base64").length} bytes`;
  return [
    ...(caBundle === ""
      ? []
      : [fieldError.invalid("spec.caBundle", bytes, "local APIServices may not have a caBundle")]),
    ...(insecureSkipTLSVerify
      ? [fieldError.invalid("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify")]
      : []),
  ];
}

function validateRemote(
  { caBundle = "", insecureSkipTLSVerify = false }: ApiServiceSpec,
  { namespace = "", name = "", port = 0 }: NonNullable<ApiServiceSpec["service"]>,
): readonly FieldError[] {
  return [
    ...(namespace === "" ? [fieldError.required("spec.service.namespace")] : []),
    ...(name === "" ? [fieldError.required("spec.service.name")] : []),
    ...portNumber(port).map((problem) =>
      fieldError.invalid("spec.service.port", port, `port is not valid: ${problem}`),
    ),
    ...(insecureSkipTLSVerify && caBundle !== ""
      ? [fieldError.invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present")]
      : []),
  ];
}

const conditionStatuses = ["True", "False", "Unknown"];

function validateStatus(conditions: readonly Condition[]): readonly FieldError[] {
  return conditions.flatMap(({ status = "" }, i) =>
    conditionStatuses.includes(status)
      ? []
      : [fieldError.notSupported(`status.conditions[${i}].status`, status, conditionStatuses)],
  );
}
