import type { Naming } from "@orch/naming/naming.js";

/** The finalizer that keeps a claim or a volume while it is used; undefined for other kinds of the core group. */
export function protectionOf(plural: string, naming: Naming): string | undefined {
  switch (plural) {
    case "persistentvolumeclaims":
      return naming.key("pvc-protection");
    case "persistentvolumes":
      return naming.key("pv-protection");
    default:
      return undefined;
  }
}
