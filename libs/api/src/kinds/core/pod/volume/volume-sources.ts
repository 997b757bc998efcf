import { validateDriverName } from "../../../shared/driver-name.js";
import { requireText } from "../errors.js";
import type { Volume } from "./volume-types.js";

export function validateCsi({ driver = "", nodePublishSecretRef }: NonNullable<Volume["csi"]>, at: string) {
  return [
    ...(driver === "" ? [] : validateDriverName(driver, `${at}.driver`)),
    ...(nodePublishSecretRef === undefined
      ? []
      : requireText(`${at}.nodePublishSecretRef.name`, nodePublishSecretRef.name)),
  ];
}
