import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateDriverName } from "../../../shared/driver-name.js";
import { requireText } from "../errors.js";
import type { Volume } from "./volume-types.js";

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

const managedDisk = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDisk = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

export function validateAzureDisk({ diskURI = "", kind }: NonNullable<Volume["azureDisk"]>, at: string): FieldError[] {
  if (diskURI === "") return [];
  const isManaged = kind === "Managed";
  return diskURI.startsWith(isManaged ? "/subscriptions/" : "https://")
    ? []
    : [fieldError.notSupported(`${at}.diskURI`, diskURI, [isManaged ? managedDisk : blobDisk])];
}

export function validateCsi({ driver = "", nodePublishSecretRef }: NonNullable<Volume["csi"]>, at: string) {
  return [
    ...(driver === "" ? [] : validateDriverName(driver, `${at}.driver`)),
    ...(nodePublishSecretRef === undefined
      ? []
      : requireText(`${at}.nodePublishSecretRef.name`, nodePublishSecretRef.name)),
  ];
}
