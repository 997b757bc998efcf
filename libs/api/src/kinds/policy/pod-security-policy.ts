import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { validateDriverName } from "../shared/driver-name.js";
import { validateRuntimeClasses, validateSysctlLists } from "./allowed-names.js";
import type { PodSecurityPolicy, PolicyRange, PolicyRule, PolicySpec } from "./types.js";

export const podSecurityPolicy = behavior<PodSecurityPolicy>(() => ({
  validate: ({ spec = {} }) => [
    ...validateRules(spec),
    ...validateVolumes(spec.volumes ?? []),
    ...validateCapabilities(spec),
    ...validateEscalation(spec),
    ...validateAllowed(spec),
    ...validateSysctlLists(spec.allowedUnsafeSysctls ?? [], spec.forbiddenSysctls ?? []),
    ...(spec.runtimeClass === undefined ? [] : validateRuntimeClasses(spec.runtimeClass, "spec.runtimeClass")),
  ],
}));

const groupRules = ["MayRunAs", "MustRunAs", "RunAsAny"];
const rules: readonly (readonly [name: "runAsUser" | "seLinux" | "supplementalGroups" | "fsGroup", known: string[]])[] =
  [
    ["runAsUser", ["MustRunAs", "MustRunAsNonRoot", "RunAsAny"]],
    ["seLinux", ["MustRunAs", "RunAsAny"]],
    ["supplementalGroups", groupRules],
    ["fsGroup", groupRules],
  ];

function validateRules(spec: PolicySpec): FieldError[] {
  return [
    ...rules.flatMap(([name, known]) => {
      const { rule = "", ranges = [] } = spec[name] ?? {};
      return [
        ...(known.includes(rule) ? [] : [fieldError.notSupported(`spec.${name}.rule`, rule, known)]),
        ...validateRanges(ranges, `spec.${name}.ranges`),
      ];
    }),
    ...(spec.runAsGroup === undefined ? [] : validateGroup(spec.runAsGroup, "spec.runAsGroup")),
  ];
}

function validateGroup({ rule = "", ranges = [] }: PolicyRule, at: string): FieldError[] {
  const place = `${at}.ranges`;
  switch (rule) {
    case "RunAsAny":
      return ranges.length === 0 ? [] : [fieldError.invalid(place, ranges, "Ranges must be empty")];
    case "MustRunAs":
    case "MayRunAs":
      return ranges.length === 0
        ? [fieldError.invalid(place, ranges, "must provide at least one range")]
        : validateRanges(ranges, place);
    default:
      return [fieldError.notSupported(`${at}.rule`, rule, ["MustRunAs", "RunAsAny", "MayRunAs"])];
  }
}

function validateRanges(ranges: readonly PolicyRange[], at: string): FieldError[] {
  return ranges.flatMap(({ min = 0, max = 0 }, i) => [
    ...(min < 0 ? [fieldError.invalid(`${at}[${i}].min`, min, "min cannot be negative")] : []),
    ...(max < 0 ? [fieldError.invalid(`${at}[${i}].max`, max, "max cannot be negative")] : []),
    ...(min > max ? [fieldError.invalid(`${at}[${i}].min`, min, "min cannot be greater than max")] : []),
  ]);
}

const volumeKinds = [
  "*",
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cephFS",
  "cinder",
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "gitRepo",
  "glusterfs",
  "hostPath",
  "iscsi",
  "nfs",
  "persistentVolumeClaim",
  "photonPersistentDisk",
  "portworxVolume",
  "projected",
  "quobyte",
  "rbd",
  "scaleIO",
  "secret",
  "storageos",
  "vsphereVolume",
];

function validateVolumes(volumes: readonly string[]): FieldError[] {
  return volumes
    .filter((kind) => !volumeKinds.includes(kind))
    .map((kind) => fieldError.notSupported("spec.volumes", kind, volumeKinds));
}

function validateCapabilities(spec: PolicySpec): FieldError[] {
  const { requiredDropCapabilities: dropped = [], allowedCapabilities: allowed = [] } = spec;
  const detail = "must be empty when all capabilities are allowed by a wildcard";
  const gone = new Set(dropped);
  return [
    ...(dropped.length > 0 && allowed.includes("*")
      ? [fieldError.invalid("requiredDropCapabilities", dropped, detail)]
      : []),
    ...(["defaultAddCapabilities", "allowedCapabilities"] as const).flatMap((name) =>
      (spec[name] ?? [])
        .filter((capability) => gone.has(capability))
        .map((capability) =>
          fieldError.invalid(name, capability, `capability is listed in ${name} and requiredDropCapabilities`),
        ),
    ),
  ];
}

function validateEscalation({ defaultAllowPrivilegeEscalation: byDefault, allowPrivilegeEscalation: at }: PolicySpec) {
  const detail =
    "Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true";
  return byDefault === true && at !== true
    ? [fieldError.invalid("spec.defaultAllowPrivilegeEscalation", true, detail)]
    : [];
}

function validateAllowed(spec: PolicySpec): FieldError[] {
  return [
    ...(spec.allowedHostPaths ?? []).flatMap(({ pathPrefix = "" }, i) => {
      const at = `spec.allowedHostPaths[${i}]`;
      if (pathPrefix === "") return [fieldError.required(at, "is required")];
      return pathPrefix.split("/").includes("..") ? [fieldError.invalid(at, pathPrefix, "must not contain '..'")] : [];
    }),
    ...(spec.allowedFlexVolumes ?? []).flatMap(({ driver = "" }, i) =>
      driver === ""
        ? [fieldError.required(`spec.allowedFlexVolumes.allowedFlexVolumes[${i}].driver`, "must specify a driver")]
        : [],
    ),
    ...(spec.allowedCSIDrivers ?? []).flatMap(({ name = "" }, i) =>
      validateDriverName(name, `spec.allowedCSIDrivers.allowedCSIDriver[${i}].name`),
    ),
  ];
}
