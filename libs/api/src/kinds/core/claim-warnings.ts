import type { Naming } from "@orch/naming/naming.js";
import type { ApiObject } from "../../object.js";
import { fractionWarnings } from "../shared/warnings/text.js";
import type { ClaimSpec } from "./claim-spec.js";

export function* claimSpecWarnings({ resources }: ClaimSpec, at: string): Iterable<string> {
  yield* fractionWarnings(resources?.requests?.["storage"], `${at}.resources.requests[storage]`);
  yield* fractionWarnings(resources?.limits?.["storage"], `${at}.resources.limits[storage]`);
}

/** The class of a claim or a volume stood in an annotation once. */
export function* classAnnotationWarnings({ metadata }: ApiObject, naming: Naming): Iterable<string> {
  const annotation = `volume.beta.${naming.key("storage-class")}`;
  if (metadata.annotations?.[annotation] === undefined) return;
  yield `metadata.annotations[${annotation}]: deprecated since v1.8; use "storageClassName" attribute instead`;
}
