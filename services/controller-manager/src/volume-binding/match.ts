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
 * The volume for a claim that names none: one that is held for it, else of those that would do the one with the fewest
 * access modes, of these the smallest. `waits`: the scheduler chooses, and only what is held for the claim will do.
 */
export function findVolume(
  claim: Claim,
  candidates: Iterable<Volume>,
  { words, waits }: { readonly words: BindingWords; readonly waits: boolean },
): Volume | undefined {
  let best: Volume | undefined;
  for (const volume of candidates) {
    if (!isPossible(volume, claim)) continue;
    if (isHeldFor(volume, claim)) return volume;
    if (waits || !isFree(volume, claim, words)) continue;
    if (best === undefined || isBetter(volume, best)) best = volume;
  }
  return best;
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

function isBetter(volume: Volume, than: Volume): boolean {
  const modes = (volume.spec?.accessModes?.length ?? 0) - (than.spec?.accessModes?.length ?? 0);
  if (modes !== 0) return modes < 0;
  const size = compareQuantities(sizeOf(volume), sizeOf(than));
  return size === 0 ? (volume.metadata.name ?? "") < (than.metadata.name ?? "") : size < 0;
}
