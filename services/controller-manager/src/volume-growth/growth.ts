import { compareQuantities } from "@orch/schema/formats/quantity.js";
import type { Claim, Told, Volume } from "../volume-binding/types.js";

const wantedSize = ({ spec }: Claim): string => spec?.resources?.requests?.["storage"] ?? "0";
const knownSize = ({ status }: Claim): string => status?.capacity?.["storage"] ?? "0";

/** It is bound, and asks for more than it has. */
export const wantsMore = (claim: Claim): boolean =>
  claim.status?.phase === "Bound" && compareQuantities(wantedSize(claim), knownSize(claim)) > 0;

/** It asks for more than before, or has got more. */
export const hasGrown = (claim: Claim, before: Claim): boolean =>
  compareQuantities(wantedSize(claim), wantedSize(before)) > 0 ||
  compareQuantities(knownSize(claim), knownSize(before)) > 0;

/** What its users are told: drivers grow volumes, and nothing here does. */
export function growthEvent(claim: Claim, volume: Volume | undefined): Told | undefined {
  if (!wantsMore(claim) || volume?.spec?.claimRef?.uid !== claim.metadata.uid) return undefined;
  const message = "waiting for an external controller to expand this PVC";
  return { type: "Normal", reason: "ExternalExpanding", message };
}
