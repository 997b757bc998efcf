import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidEach, requireText } from "./errors.js";
import type { IscsiVolume, Volume } from "./volume-types.js";

/** Sources that pods and persistent volumes share. */
const names = [
  { prefix: "iqn", pattern: /^iqn\.\d{4}-\d{2}\.[a-zA-Z0-9.-]+:[^,;*&$|\s]+$/ },
  { prefix: "eui", pattern: /^eui\.[a-zA-Z0-9]{16}$/ },
  { prefix: "naa", pattern: /^naa\.[a-zA-Z0-9]{32}$/ },
];

export function validateIscsi(source: IscsiVolume, at: string): FieldError[] {
  const { iqn = "", initiatorName, chapAuthDiscovery, chapAuthSession, secretRef } = source;
  const kind = names.find((n) => iqn.startsWith(n.prefix));
  const initiator = names.find((n) => initiatorName?.startsWith(n.prefix));
  const asksForSecret = (chapAuthDiscovery === true || chapAuthSession === true) && secretRef === undefined;
  return [
    ...(iqn !== "" && kind === undefined
      ? [fieldError.invalid(`${at}.iqn`, iqn, "must be valid format starting with iqn, eui, or naa")]
      : []),
    ...(kind?.pattern.test(iqn) === false ? [fieldError.invalid(`${at}.iqn`, iqn, "must be valid format")] : []),
    ...(asksForSecret ? [fieldError.required(`${at}.secretRef`)] : []),
    ...(initiatorName !== undefined && initiator?.pattern.test(initiatorName) !== true
      ? [fieldError.invalid(`${at}.initiatorname`, initiatorName, "must be valid format")]
      : []),
  ];
}

export function validateFlocker({ datasetName = "", datasetUUID = "" }: NonNullable<Volume["flocker"]>, at: string) {
  return [
    ...(datasetName === "" && datasetUUID === ""
      ? [fieldError.required(at, "one of datasetName and datasetUUID is required")]
      : []),
    ...(datasetName !== "" && datasetUUID !== ""
      ? [fieldError.invalid(at, "resource", "datasetName and datasetUUID can not be specified simultaneously")]
      : []),
    ...(datasetName.includes("/")
      ? [fieldError.invalid(`${at}.datasetName`, datasetName, "must not contain '/'")]
      : []),
  ];
}

const registryRule = "must be a host:port pair or multiple pairs separated by commas";

export function validateQuobyte({ registry = "", tenant = "" }: NonNullable<Volume["quobyte"]>, at: string) {
  if (registry === "") return [];
  if (tenant.length >= 65) {
    return [fieldError.required(`${at}.tenant`, "must be a UUID and may not exceed a length of 64 characters")];
  }
  return registry
    .split(",")
    .filter((pair) => !/^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair))
    .map(() => fieldError.invalid(`${at}.registry`, registry, registryRule));
}

export function validateFibreChannel({ targetWWNs = [], lun, wwids = [] }: NonNullable<Volume["fc"]>, at: string) {
  const place = `${at}.targetWWNs`;
  return [
    ...(targetWWNs.length === 0 && wwids.length === 0
      ? [fieldError.required(place, "must specify either targetWWNs or wwids, but not both")]
      : []),
    ...(targetWWNs.length > 0 && wwids.length > 0
      ? [fieldError.invalid(place, targetWWNs, "targetWWNs and wwids can not be specified simultaneously")]
      : []),
    ...(targetWWNs.length > 0 && lun === undefined
      ? [fieldError.required(`${at}.lun`, "lun is required if targetWWNs is specified")]
      : []),
    ...(targetWWNs.length > 0 && lun !== undefined && (lun < 0 || lun > 255)
      ? [fieldError.invalid(`${at}.lun`, lun, "must be between 0 and 255, inclusive")]
      : []),
  ];
}

const managedDisk = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDisk = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

export function validateAzureDisk({ diskURI = "", kind }: NonNullable<Volume["azureDisk"]>, at: string): FieldError[] {
  if (diskURI === "") return [];
  const isManaged = kind === "Managed";
  return diskURI.startsWith(isManaged ? "/subscriptions/" : "https://")
    ? []
    : [fieldError.notSupported(`${at}.diskURI`, diskURI, [isManaged ? managedDisk : blobDisk])];
}

const driverLength = 63;

/** The name of a CSI driver. */
export function validateDriverName(driver: string, at: string): FieldError[] {
  if (driver === "") return [];
  return [
    ...(driver.length > driverLength ? [fieldError.tooLong(at, driverLength)] : []),
    ...invalidEach(at, driver, dnsSubdomain(driver.toLowerCase())),
  ];
}

export function validateCsi({ driver = "", nodePublishSecretRef }: NonNullable<Volume["csi"]>, at: string) {
  return [
    ...validateDriverName(driver, `${at}.driver`),
    ...(nodePublishSecretRef === undefined
      ? []
      : requireText(`${at}.nodePublishSecretRef.name`, nodePublishSecretRef.name)),
  ];
}
