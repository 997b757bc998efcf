import { noBacksteps } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor, notFound } from "../../../shared/problems.js";
import { repeatsIn } from "../../../shared/repeats.js";
import { oneOf } from "../errors.js";
import type { Container, VolumeDevice, VolumeMount } from "../types.js";
import type { Volume } from "./volume-types.js";

/** What a container mounts, and the block devices it is given. */
export function validateMounts(container: Container, volumes: ReadonlyMap<string, Volume>, at: string): FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  if (volumeMounts.length + volumeDevices.length === 0) return [];
  const used = placesOf(
    volumeMounts.map((m) => m.name),
    volumeMounts.map((m) => m.mountPath),
  );
  const devices = placesOf(
    volumeDevices.map((d) => d.name),
    volumeDevices.map((d) => d.devicePath),
  );
  return [
    ...volumeMounts.flatMap((mount, i) => [
      ...validateMountPlace(mount, { i, at: `${at}.volumeMounts[${i}]`, used, devices, volumes }),
      ...validateMount(mount, { i, container, at: `${at}.volumeMounts` }),
    ]),
    ...volumeDevices.flatMap((device, i) =>
      validateDevice(device, { i, at: `${at}.volumeDevices[${i}]`, used, devices, volumes }),
    ),
  ];
}

/** The names and paths of a list, and the positions of those that stand there before. */
interface Names {
  readonly names: ReadonlySet<string | undefined>;
  readonly paths: ReadonlySet<string | undefined>;
  readonly repeatedNames: ReadonlySet<number>;
  readonly repeatedPaths: ReadonlySet<number>;
}

function placesOf(names: readonly (string | undefined)[], paths: readonly (string | undefined)[]): Names {
  return {
    names: new Set(names),
    paths: new Set(paths),
    repeatedNames: repeatsIn(names),
    repeatedPaths: repeatsIn(paths),
  };
}

interface Place {
  readonly i: number;
  readonly at: string;
  readonly used: Names;
  readonly devices: Names;
  readonly volumes: ReadonlyMap<string, object>;
}

function validateMountPlace({ name = "", mountPath }: VolumeMount, place: Place): FieldError[] {
  const { i, at, used, devices, volumes } = place;
  return [
    ...(volumes.has(name) ? [] : [notFound(`${at}.name`, name)]),
    ...(used.repeatedPaths.has(i) ? [fieldError.invalid(`${at}.mountPath`, mountPath ?? "", "must be unique")] : []),
    ...(name !== "" && devices.names.has(name)
      ? [fieldError.invalid(`${at}.name`, name, "must not already exist in volumeDevices")]
      : []),
    ...(mountPath !== undefined && devices.paths.has(mountPath)
      ? [fieldError.invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices")]
      : []),
  ];
}

/** Errors stand at the list, as in the reference, but for subPathExpr next to subPath. */
function validateMount(
  mount: VolumeMount,
  { i, container, at }: { readonly i: number; readonly container: Container; readonly at: string },
): FieldError[] {
  const { subPath = "", subPathExpr = "", mountPropagation } = mount;
  const privileged = container.securityContext?.privileged === true;
  const propagations = ["Bidirectional", "HostToContainer", "None"];
  return [
    ...localPath(`${at}.subPath`, subPath),
    ...(subPath !== "" && subPathExpr !== ""
      ? [fieldError.invalid(`${at}[${i}].subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive")]
      : []),
    ...localPath(`${at}.subPathExpr`, subPathExpr),
    ...(mountPropagation === "Bidirectional" && !privileged
      ? [
          fieldError.forbidden(
            `${at}.mountPropagation`,
            "Bidirectional mount propagation is available only to privileged containers",
          ),
        ]
      : []),
    ...oneOf(`${at}.mountPropagation`, mountPropagation, propagations),
    ...validateRecursion(mount, `${at}.recursiveReadOnly`),
  ];
}

/** A path below some folder: relative, and no way up. */
export function localPath(at: string, path: string): FieldError[] {
  return [
    ...(path.startsWith("/") ? [fieldError.invalid(at, path, "must be a relative path")] : []),
    ...invalidFor(at, path, noBacksteps(path)),
  ];
}

function validateRecursion({ recursiveReadOnly, readOnly, mountPropagation }: VolumeMount, at: string): FieldError[] {
  switch (recursiveReadOnly) {
    case undefined:
    case "Disabled":
      return [];
    case "Enabled":
    case "IfPossible":
      return [
        ...(readOnly === true ? [] : [fieldError.forbidden(at, "may only be specified when readOnly is true")]),
        ...((mountPropagation ?? "None") === "None"
          ? []
          : [fieldError.forbidden(at, "may only be specified when mountPropagation is None or not specified")]),
      ];
    default:
      return [fieldError.notSupported(at, recursiveReadOnly, ["Disabled", "Enabled", "IfPossible"])];
  }
}

function validateDevice({ name = "", devicePath = "" }: VolumeDevice, place: Place): FieldError[] {
  const { i, at, used, devices, volumes } = place;
  const volume = volumes.get(name);
  const isClaim = volume !== undefined && ("persistentVolumeClaim" in volume || "ephemeral" in volume);
  const invalid = (field: string, value: string, detail: string) => fieldError.invalid(`${at}.${field}`, value, detail);
  const climbs = noBacksteps(devicePath).length > 0;
  return [
    ...(name !== "" && devices.repeatedNames.has(i) ? [invalid("name", name, "must be unique")] : []),
    ...(volume !== undefined && !isClaim
      ? [invalid("name", name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")]
      : []),
    ...(volume === undefined ? [notFound(`${at}.name`, name)] : []),
    ...(devicePath !== "" && !climbs && devices.repeatedPaths.has(i)
      ? [invalid("devicePath", devicePath, "must be unique")]
      : []),
    ...(climbs ? [invalid("devicePath", devicePath, "can not contain backsteps ('..')")] : []),
    ...(used.names.has(name) ? [invalid("name", name, "must not already exist in volumeMounts")] : []),
    ...(used.paths.has(devicePath)
      ? [invalid("devicePath", devicePath, "must not already exist as a path in volumeMounts")]
      : []),
  ];
}
