import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { defaultVolumeSpec, type VolumeSpec, validateInlineVolumeSpec } from "../core/volume-spec.js";
import { validateDriverName } from "../shared/driver-name.js";
import { invalidFor } from "../shared/problems.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";
import { maxParameterBytes, type Parameters, parameterBytes } from "./parameters.js";

interface Source {
  readonly persistentVolumeName?: string;
  readonly inlineVolumeSpec?: VolumeSpec;
}

interface VolumeError {
  readonly message?: string;
}

interface VolumeAttachment extends ApiObject {
  readonly spec?: { readonly attacher?: string; readonly source?: Source; readonly nodeName?: string };
  readonly status?: {
    readonly attachmentMetadata?: Parameters;
    readonly attachError?: VolumeError;
    readonly detachError?: VolumeError;
  };
}

const maxMessageBytes = 1024;

/** The spec is frozen as a whole: that is data. */
export const volumeAttachment = behavior<VolumeAttachment>((naming) => ({
  setDefaults: (object) => {
    const inline = object.spec?.source?.inlineVolumeSpec;
    if (inline === undefined) return object;
    const source = { ...object.spec?.source, inlineVolumeSpec: defaultVolumeSpec(inline) };
    return { ...object, spec: { ...object.spec, source } };
  },
  validate: ({ spec = {}, status = {} }) => [
    ...((spec.attacher ?? "") === "" ? [fieldError.required("spec.attacher")] : []),
    ...validateSource(spec.source ?? {}, (volume, at) => validateInlineVolumeSpec(volume, at, naming)),
    ...invalidFor("spec.nodeName", spec.nodeName ?? "", dnsSubdomain(spec.nodeName ?? "")),
    ...validateStatus(status),
  ],
  // Versions before took any names, and what has one keeps it.
  validateRequest: ({ spec: { attacher = "", source = {} } = {} }, old) => {
    if (old !== undefined) return [];
    const name = source.persistentVolumeName;
    return [
      ...validateDriverName(attacher, "spec.attacher"),
      ...(name === undefined ? [] : invalidFor("spec.source.persistentVolumeName", name, dnsSubdomain(name))),
    ];
  },
  parts: {
    status: { resets: allButStatus, prepare: statusOnly, validate: ({ status = {} }) => validateStatus(status) },
  },
}));

type ValidateVolume = (volume: VolumeSpec, at: string) => FieldError[];

function validateSource({ persistentVolumeName: name, inlineVolumeSpec: inline }: Source, volume: ValidateVolume) {
  const at = "spec.source";
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (name === undefined)
    return inline === undefined ? [fieldError.required(at, one)] : volume(inline, `${at}.inlineVolumeSpec`);
  if (inline !== undefined) return [fieldError.forbidden(at, one)];
  return name === ""
    ? [fieldError.required(`${at}.persistentVolumeName`, "must specify non empty persistentVolumeName")]
    : [];
}

function validateStatus(status: NonNullable<VolumeAttachment["status"]>): FieldError[] {
  return [
    ...(parameterBytes(status.attachmentMetadata ?? {}) > maxParameterBytes
      ? [fieldError.tooLong("status.attachmentMetadata", maxParameterBytes)]
      : []),
    ...(["attachError", "detachError"] as const).flatMap((name) =>
      Buffer.byteLength(status[name]?.message ?? "") > maxMessageBytes
        ? [fieldError.tooLong(`status.${name}.message`, maxMessageBytes)]
        : [],
    ),
  ];
}
