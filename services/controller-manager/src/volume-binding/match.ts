import { compareQuantities } from "@orch/schema/formats/quantity.js";
import { isGoing } from "../rim/objects.js";
import { compileSelectorOnce } from "../rim/selection.js";
import { type BindingWords, type Claim, classOf, isHeldFor, modeOf, type Volume } from "./types.js";

const sizeOf = ({ spec }: Volume): string => spec?.capacity?.["storage"] ?? "0";
const wantedSize = ({ spec }: Claim): string => spec?.resources?.requests?.["storage"] ?? "0";
const attributesOf = ({ spec }: Claim | Volume): string => spec?.volumeAttributesClassName ?? "";

function hasModes({ spec }: Volume, claim: Claim): boolean {
  const offered = spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => offered.includes(mode));
}

/** Why a volume that a claim names cannot be its. */
export function mismatch(volume: Volume, claim: Claim, words: BindingWords): string | undefined {
  if (isGoing(volume)) return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`;
  if (compareQuantities(sizeOf(volume), wantedSize(claim)) < 0) return "requested PV is too small";
  if (classOf(volume, words) !== classOf(claim, words)) return "storageClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  return hasModes(volume, claim) ? undefined : "incompatible accessMode";
}

/**
 * The volume for a claim that names none: the first that will do. `candidates`: those that are held for the claim, then free
 * ones in the order in which they are taken. `waits`: the scheduler chooses, and only what is held for the claim will do.
 */
export function findVolume(
  claim: Claim,
  candidates: Iterable<Volume>,
  { words, waits }: { readonly words: BindingWords; readonly waits: boolean },
): Volume | undefined {
  for (const volume of candidates) {
    if (!isPossible(volume, claim)) continue;
    if (isHeldFor(volume, claim)) return volume;
    if (!waits && isFree(volume, claim, words)) return volume;
  }
  return undefined;
}

function isPossible(volume: Volume, claim: Claim): boolean {
  if (volume.spec?.claimRef !== undefined && !isHeldFor(volume, claim)) return false;
  if (modeOf(volume) !== modeOf(claim) || isGoing(volume) || !hasModes(volume, claim)) return false;
  return compareQuantities(sizeOf(volume), wantedSize(claim)) >= 0;
}

function isFree(volume: Volume, claim: Claim, words: BindingWords): boolean {
  if (volume.status?.phase !== "Available" || classOf(volume, words) !== classOf(claim, words)) return false;
  if (attributesOf(volume) !== attributesOf(claim)) return false;
  const selector = claim.spec?.selector;
  return selector === undefined || compileSelectorOnce(selector)?.matches(volume.metadata.labels ?? {}) === true;
}
