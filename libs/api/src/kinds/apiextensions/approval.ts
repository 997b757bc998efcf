import type { Naming } from "@orch/naming/naming.js";
import type { CustomResourceDefinition } from "./types.js";

/** What the annotation of a protected group's definition says, and the sentence about it. */
export interface Approval {
  /** `bypassed`: it says that nobody approved it. */
  readonly state: "missing" | "refused" | "bypassed" | "approved";
  readonly message: string;
}

/** `api-approved.kubernetes.io`. */
export function approvalKey(naming: Naming): string {
  return `api-approved.${naming.keyDomain}`;
}

/** Undefined for a group that is not under the system's own domains: it needs none. */
export function approvalOf(
  { spec, metadata }: Pick<CustomResourceDefinition, "spec" | "metadata">,
  naming: Naming,
): Approval | undefined {
  const group = spec?.group ?? "";
  const domains = [naming.keyDomain, naming.group("").slice(1)];
  if (!domains.some((d) => group === d || group.endsWith(`.${d}`))) return undefined;
  const key = approvalKey(naming);
  const annotation = metadata.annotations?.[key] ?? "";
  const rule = `protected groups must have approval annotation ${JSON.stringify(key)}`;
  if (annotation === "") return { state: "missing", message: rule };
  if (annotation.startsWith("unapproved")) {
    return { state: "bypassed", message: `not approved: ${JSON.stringify(annotation)}` };
  }
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#\s]+/.test(annotation)) {
    return { state: "approved", message: `approved in ${annotation}` };
  }
  return { state: "refused", message: `${rule} with either a URL or a reason starting with "unapproved"` };
}
