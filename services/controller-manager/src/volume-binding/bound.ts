import { compareQuantities } from "@orch/schema/formats/quantity.js";
import { sameJson } from "../rim/same-json.js";
import { type BindingWords, type Claim, isHeldFor, isMarked, type Volume } from "./types.js";

/** Both sides of a binding, each as it is to be; undefined where it is so already. */

/** The volume with the claim that has it. */
export function volumeOfClaim(volume: Volume, claim: Claim, words: BindingWords): Volume | undefined {
  const { name = "", namespace = "", uid = "", resourceVersion } = claim.metadata;
  const ref = volume.spec?.claimRef;
  if (isHeldFor(volume, claim) && ref?.uid === uid) return undefined;
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid, resourceVersion };
  const named = { ...volume, spec: { ...volume.spec, claimRef } };
  return isHeldFor(volume, claim) ? named : marked(named, words.boundByController);
}

/** The claim with its volume. */
export function claimOfVolume(claim: Claim, volume: Volume, words: BindingWords): Claim | undefined {
  const volumeName = volume.metadata.name ?? "";
  const isNamed = claim.spec?.volumeName === volumeName;
  if (isNamed && isMarked(claim, words.bindCompleted)) return undefined;
  if (isNamed) return marked(claim, words.bindCompleted);
  const named = { ...claim, spec: { ...claim.spec, volumeName } };
  return marked(marked(named, words.boundByController), words.bindCompleted);
}

/** The volume when its claim has another one: set aside again where somebody chose the claim by hand, else free. */
export function withoutClaim(volume: Volume, words: BindingWords): Volume {
  const { claimRef, ...spec } = volume.spec ?? {};
  if (!isMarked(volume, words.boundByController)) {
    const { uid: _uid, ...ref } = claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef: ref } };
  }
  const { [words.boundByController]: _mark, ...annotations } = volume.metadata.annotations ?? {};
  return { ...volume, metadata: { ...volume.metadata, annotations }, spec };
}

/** The status of a claim that is bound. */
export function boundStatus({ status }: Claim, { spec }: Volume): Claim["status"] {
  const modes = spec?.accessModes ?? [];
  const becomes = status?.phase !== "Bound";
  const size = spec?.capacity?.["storage"];
  const told = status?.capacity?.["storage"];
  // Of one that is bound already the size may differ on purpose: while it grows.
  const resized = becomes && size !== undefined && (told === undefined || compareQuantities(size, told) !== 0);
  if (!becomes && sameJson(status?.accessModes ?? [], modes)) return undefined;
  return { ...status, phase: "Bound", accessModes: modes, ...(resized ? { capacity: spec?.capacity ?? {} } : {}) };
}

/** The status of a claim that has no volume. `phase`: `Pending` or `Lost`. */
export function unboundStatus({ status }: Claim, phase: string): Claim["status"] {
  const { accessModes = [], capacity = {}, ...rest } = status ?? {};
  if (status?.phase === phase && accessModes.length === 0 && Object.keys(capacity).length === 0) return undefined;
  return { ...rest, phase };
}

function marked<T extends Claim | Volume>(object: T, annotation: string): T {
  if (isMarked(object, annotation)) return object;
  const annotations = { ...object.metadata.annotations, [annotation]: "yes" };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
