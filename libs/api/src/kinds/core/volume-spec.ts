import type { Naming } from "@orch/naming/naming.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { compareQuantities, nanoOf } from "@orch/schema/formats/quantity.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { type NodeSelector, validateNodeSelector } from "./node-selector.js";
import { type Resources, rounded } from "./resources.js";
import { sourceNames, type VolumeSources, validateSources } from "./volume-sources.js";

/** A volume of the cluster; its kinds of source stand beside its other fields. */
export interface VolumeSpec extends VolumeSources {
  readonly capacity?: Resources;
  readonly accessModes?: readonly string[];
  readonly claimRef?: JsonObject;
  readonly persistentVolumeReclaimPolicy?: string;
  readonly storageClassName?: string;
  readonly volumeMode?: string;
  readonly nodeAffinity?: { readonly required?: NodeSelector };
  readonly volumeAttributesClassName?: string;
}

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

export function defaultVolumeSpec(spec: VolumeSpec): VolumeSpec {
  return spec.capacity === undefined ? spec : { ...spec, capacity: rounded(spec.capacity) };
}

/** The modes of a volume or a claim; that there are some is data. */
export function validateAccessModes(modes: readonly string[], at: string): FieldError[] {
  const alone = modes.includes("ReadWriteOncePod");
  const others = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  return [
    ...modes.filter((m) => !accessModes.includes(m)).map((mode) => fieldError.notSupported(at, mode, accessModes)),
    ...(alone && others ? [fieldError.forbidden(at, "may not use ReadWriteOncePod with other access modes")] : []),
  ];
}

/** `name` is the volume's, of which one kind of source has to know. */
export function validateVolumeSpec(spec: VolumeSpec, name: string, naming: Naming): FieldError[] {
  const at = "spec";
  return [
    ...validateAccessModes(spec.accessModes ?? [], `${at}.accessModes`),
    ...validateCapacity(spec.capacity ?? {}, `${at}.capacity`),
    ...validateAffinity(spec, at),
    ...validateSources(spec, { at, name, naming }),
    ...(isLocal(spec) && spec.nodeAffinity === undefined
      ? [fieldError.required(`${at}.nodeAffinity`, "Local volume requires node affinity")]
      : []),
    ...(recyclesRoot(spec)
      ? [
          fieldError.forbidden(
            `${at}.persistentVolumeReclaimPolicy`,
            "may not be 'recycle' for a hostPath mount of '/'",
          ),
        ]
      : []),
    ...validateAttributesClass(spec, at),
  ];
}

/** Of several sources the first is the volume's. */
function isLocal(spec: VolumeSpec): boolean {
  return sourceNames.find((name) => spec[name] !== undefined) === "local";
}

function validateCapacity(capacity: Resources, at: string): FieldError[] {
  const names = Object.keys(capacity);
  return [
    ...(names.length === 0 ? [fieldError.required(at)] : []),
    ...(names.length === 1 && names[0] === "storage" ? [] : [fieldError.notSupported(at, capacity, ["storage"])]),
    ...Object.entries(capacity).flatMap(([name, amount]) => validatePositive(amount, `${at}[${name}]`)),
  ];
}

function validatePositive(amount: string, at: string): FieldError[] {
  const order = compareQuantities(amount, "0");
  return [
    ...(order < 0 ? [fieldError.invalid(at, wholeOf(amount), "must be a valid resource quantity")] : []),
    ...(order <= 0 ? [fieldError.invalid(at, amount, "must be greater than zero")] : []),
  ];
}

/** As the reference shows it: rounded away from zero. */
export function wholeOf(amount: string): bigint {
  const nano = nanoOf(amount);
  return -((-nano + 999_999_999n) / 1_000_000_000n);
}

function validateAffinity({ nodeAffinity }: VolumeSpec, at: string): FieldError[] {
  if (nodeAffinity === undefined) return [];
  const required = `${at}.nodeAffinity.required`;
  return nodeAffinity.required === undefined
    ? [fieldError.required(required, "must specify required node constraints")]
    : validateNodeSelector(nodeAffinity.required, required, { values: false });
}

function recyclesRoot({ hostPath, persistentVolumeReclaimPolicy: policy }: VolumeSpec): boolean {
  return policy === "Recycle" && hostPath?.path !== undefined && isRoot(hostPath.path);
}

function isRoot(path: string): boolean {
  return path.startsWith("/") && path.split("/").every((part) => part === "" || part === "." || part === "..");
}

function validateAttributesClass({ volumeAttributesClassName: name, csi }: VolumeSpec, at: string): FieldError[] {
  if (name === undefined) return [];
  return [
    ...(name === "" ? [fieldError.required(`${at}.volumeAttributesClassName`, "an empty string is disallowed")] : []),
    ...(csi === undefined
      ? [fieldError.required(`${at}.csi`, "has to be specified when using volumeAttributesClassName")]
      : []),
  ];
}

/** A volume inside a VolumeAttachment: only what a driver needs, and only a driver's. */
export function validateInlineVolumeSpec(spec: VolumeSpec, at: string, naming: Naming): FieldError[] {
  const forbidden = (name: string, detail: string) => fieldError.forbidden(`${at}.${name}`, detail);
  const nothing = "may not be specified in the context of inline volumes";
  const policy = spec.persistentVolumeReclaimPolicy;
  const given = (["claimRef", "capacity", "nodeAffinity", "storageClassName"] as const).filter(
    (name) => spec[name] !== undefined,
  );
  return [
    ...given.map((name) => forbidden(name, nothing)),
    ...(spec.csi === undefined
      ? [fieldError.required(`${at}.csi`, "has to be specified in the context of inline volumes")]
      : []),
    ...validateAccessModes(spec.accessModes ?? [], `${at}.accessModes`),
    ...(policy !== undefined && policy !== "Retain"
      ? [forbidden("persistentVolumeReclaimPolicy", "may only be Retain in the context of inline volumes")]
      : []),
    ...validateSources(spec, { at, name: "", naming }),
    ...(spec.volumeMode !== undefined && spec.volumeMode !== "Filesystem"
      ? [forbidden("volumeMode", "may not specify volumeMode other than Filesystem in the context of inline volumes")]
      : []),
    ...validateAttributesClass(spec, at),
  ];
}

/** The kind of source of a volume with its settings. */
export function sourceOf(spec: VolumeSpec): JsonObject {
  return Object.fromEntries(sourceNames.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])));
}
