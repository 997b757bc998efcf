import { isObject } from "@orch/schema/descriptor.js";

/** A map of labels as `a=b,c=d`, sorted; "" for none. */
export function labelsText(labels: unknown): string {
  if (!isObject(labels)) return "";
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${String(value)}`)
    .sort()
    .join(",");
}
