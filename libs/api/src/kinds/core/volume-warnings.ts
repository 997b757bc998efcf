import type { Naming } from "@orch/naming/naming.js";
import type { ApiObject } from "../../object.js";
import { deprecatedNodeLabels, termsWarnings } from "../shared/warnings/node-labels.js";
import { classAnnotationWarnings } from "./claim-warnings.js";
import type { NodeSelector } from "./node-selector.js";
import { sourceWarnings } from "./pod/warning/volume-warnings.js";

interface PersistentVolume extends ApiObject {
  readonly spec?: {
    readonly persistentVolumeReclaimPolicy?: string;
    readonly nodeAffinity?: { readonly required?: NodeSelector };
  };
}

export function* persistentVolumeWarnings(volume: PersistentVolume, naming: Naming): Iterable<string> {
  const { spec = {} } = volume;
  yield* classAnnotationWarnings(volume, naming);
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    yield "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";
  }
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
  yield* termsWarnings(terms, "spec.nodeAffinity.required.nodeSelectorTerms", deprecatedNodeLabels(naming));
  yield* sourceWarnings(spec);
}
