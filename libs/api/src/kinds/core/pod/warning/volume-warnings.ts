import { claimSpecWarnings } from "../../claim-warnings.js";
import type { Volume } from "../volume/volume-types.js";

/** Sources that went out of use, by their names here and, where it differs, in warnings. */
const deprecatedSources = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
} as const;

type Deprecated = keyof typeof deprecatedSources;

/** Of persistent volumes in the reference's order; those that it does not warn of are not among them. */
const ofVolumes: readonly Deprecated[] = ["cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd"];

const shownAs = (source: Deprecated): string => (source === "storageos" ? "storageOS" : source);

export function* volumeWarnings(volumes: readonly Volume[], at: string): Iterable<string> {
  for (const [i, volume] of volumes.entries()) {
    const place = `${at}[${i}]`;
    for (const source of Object.keys(deprecatedSources).filter(isDeprecated)) {
      if (Object.hasOwn(volume, source)) yield `${place}.${shownAs(source)}: ${deprecatedSources[source]}`;
    }
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
    if (claim !== undefined) yield* claimSpecWarnings(claim, `${place}.ephemeral.volumeClaimTemplate.spec`);
  }
}

/** Of the spec of a persistent volume. */
export function* sourceWarnings(spec: object): Iterable<string> {
  for (const source of ofVolumes) {
    if (Object.hasOwn(spec, source)) yield `spec.${shownAs(source)}: ${deprecatedSources[source]}`;
  }
}

function isDeprecated(source: string): source is Deprecated {
  return Object.hasOwn(deprecatedSources, source);
}
